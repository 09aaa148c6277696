import { parse } from "yaml";
import { bounds } from "../kubernetes/objects/bounds.ts";
import { isDnsName } from "../kubernetes/objects/names.ts";
import { isRecord } from "../kubernetes/objects/checks.ts";
import type { Kubernetes } from "../kubernetes/client/interface.ts";
import { resources } from "../kubernetes/objects/resources.ts";

export interface Domains {
  readonly clusterDomain: string;
  readonly trustDomain: string;
}

/** The control plane's chart writes this ConfigMap, which contains no key. */
export const linkerdConfigName = "linkerd-config";

/** A fact is undefined if Linkerd doesn't publish it. */
export interface LinkerdConfig {
  readonly domains: Domains | undefined;
  readonly version: string | undefined;
}

/** Returns undefined if Linkerd isn't installed. */
export async function linkerdConfigOf(
  kubernetes: Pick<Kubernetes, "find">,
  namespace: string,
): Promise<LinkerdConfig | undefined> {
  const at = { namespace, name: linkerdConfigName };
  const config = await kubernetes.find(resources.configMaps, at);
  if (config === undefined) return undefined;
  const values = config.data?.["values"] ?? "";
  const [, version] = /^linkerdVersion: *"?([\w.+-]{1,64})"? *$/m.exec(values) ?? [];
  return { domains: domainsIn(values), version };
}

export function noClusterDomain(cluster: string, linkerdNamespace: string): string {
  return `ConfigMap ${cluster}/${linkerdNamespace}/${linkerdConfigName} has no clusterDomain in its values: check the installation of Linkerd there`;
}

/** As in the chart, the trust domain defaults to the cluster domain, without which there are none. */
export function domainsIn(helmValues: string): Domains | undefined {
  const { clusterDomain, identityTrustDomain } = valuesIn(helmValues);
  if (!isName(clusterDomain)) return undefined;
  return {
    clusterDomain,
    trustDomain: isName(identityTrustDomain) ? identityTrustDomain : clusterDomain,
  };
}

/** Helm writes each on one line. The parser gets only these lines, because its time grows faster than a text. */
const domainLines = /^(?:clusterDomain|identityTrustDomain):.*$/gm;

function valuesIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const lines = text.match(domainLines)?.slice(0, 3) ?? [];
    if (lines.some((line) => line.length > bounds.domainLine.most)) return {};
    const values: unknown = parse(lines.join("\n"));
    return isRecord(values) ? values : {};
  } catch {
    return {};
  }
}

function isName(value: unknown): value is string {
  return typeof value === "string" && isDnsName(value);
}
