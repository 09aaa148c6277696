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

/** Written by the control plane's chart; public, without the chart's keys. */
export const linkerdConfigName = "linkerd-config";

/** The facts of its installation that Linkerd publishes; those that it does not tell are undefined. */
interface LinkerdConfig {
  readonly domains: Domains | undefined;
  /** The version of the control plane. */
  readonly version: string | undefined;
}

/**
 * The config of the Linkerd in a cluster; undefined where there is none.
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

/** The sentence for a Linkerd whose config does not say by which names it knows its Services. */
export function noClusterDomain(cluster: string, linkerdNamespace: string): string {
  return `ConfigMap ${cluster}/${linkerdNamespace}/${linkerdConfigName} has no clusterDomain in its values: check the installation of Linkerd there`;
}

/**
 * The domains with which Linkerd was installed, from the Helm values in its ConfigMap. As in the
 * chart, the cluster domain where no trust domain is set. Undefined if the values do not have them, or what they have is no DNS name.
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
 * Helm writes each of its values on lines of its own, and these two on one: the parser gets no more than these,
 * since the time that it takes grows faster than a text.
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
