import { parse } from "yaml";
import { bounds } from "../kubernetes/objects/bounds.ts";
import { isDnsName } from "../kubernetes/objects/names.ts";
import { isRecord } from "../kubernetes/objects/checks.ts";
import type { Kubernetes } from "../kubernetes/client/interface.ts";
import type { ConfigMap } from "../kubernetes/objects/objects.ts";
import { resources } from "../kubernetes/objects/resources.ts";

export interface Domains {
  readonly clusterDomain: string;
  readonly trustDomain: string;
}

/** The ConfigMap is written by the control plane's chart and contains no key. */
export const linkerdConfigName = "linkerd-config";

/** Facts that Linkerd publishes about its installation; undefined if it doesn't. */
export interface LinkerdConfig {
  readonly domains: Domains | undefined;
  readonly version: string | undefined;
}

/**
 * Reads the config of a cluster's Linkerd; undefined if Linkerd isn't installed.
 *
 * @throws KubernetesError
 */
export async function linkerdConfigOf(
  kubernetes: Kubernetes,
  namespace: string,
): Promise<LinkerdConfig | undefined> {
  const at = { namespace, name: linkerdConfigName };
  const config = await kubernetes.find(resources.configMaps, at);
  if (config === undefined) return undefined;
  const [, version] =
    /^linkerdVersion: *"?([\w.+-]{1,64})"? *$/m.exec(config.data?.["values"] ?? "") ?? [];
  return { domains: domainsIn(config), version };
}

/** The sentence for a Linkerd whose config has no cluster domain. */
export function noClusterDomain(cluster: string, linkerdNamespace: string): string {
  return `ConfigMap ${cluster}/${linkerdNamespace}/${linkerdConfigName} has no clusterDomain in its values: check the installation of Linkerd there`;
}

/**
 * Reads the domains with which Linkerd was installed from the Helm values in its ConfigMap. As in the chart, the
 * trust domain defaults to the cluster domain. Undefined if the values lack them or hold no DNS name.
 */
export function domainsIn({ data = {} }: ConfigMap): Domains | undefined {
  const { clusterDomain, identityTrustDomain } = valuesIn(data.values ?? "");
  if (!isName(clusterDomain)) return undefined;
  return {
    clusterDomain,
    trustDomain: isName(identityTrustDomain) ? identityTrustDomain : clusterDomain,
  };
}

/**
 * Helm writes these two values on one line each, so the parser gets only these lines: its time grows faster than a
 * text.
 */
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
