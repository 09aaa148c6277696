import { isRecord } from "../kubernetes/failure.ts";
import type { ConfigMap } from "./resources.ts";

export interface Domains {
  readonly clusterDomain: string;
  readonly trustDomain: string;
}

/** Written by the control plane's chart; public, its keys are taken out. */
export const linkerdConfigName = "linkerd-config";

/**
 * The domains with which Linkerd was installed, from the values it keeps in its ConfigMap. As the
 * chart does, takes the cluster domain where no trust domain is set. Undefined if they are not there.
 */
export async function domainsIn({ data = {} }: ConfigMap): Promise<Domains | undefined> {
  const { clusterDomain, identityTrustDomain } = await valuesIn(data.values ?? "");
  if (!isName(clusterDomain)) return undefined;
  return {
    clusterDomain,
    trustDomain: isName(identityTrustDomain) ? identityTrustDomain : clusterDomain,
  };
}

async function valuesIn(text: string): Promise<Readonly<Record<string, unknown>>> {
  const { loadYaml } = await import("@kubernetes/client-node");
  try {
    const values = loadYaml<unknown>(text);
    return isRecord(values) ? values : {};
  } catch {
    return {};
  }
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
