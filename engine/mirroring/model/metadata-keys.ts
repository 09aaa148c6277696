import type { LinkSpec } from "./link.ts";

/**
 * Keys of labels and annotations. A pattern is what Linkerd's Link takes: a literal key, or `group/*`
 * for every key of a group.
 */

/** What a link says about the metadata that its mirrors take over. */
export type MetadataRules = Pick<
  LinkSpec,
  "excludedLabels" | "excludedAnnotations" | "copiedMetadata"
>;

/**
 * By which other controllers own a Service or act on it, each with what comes of a copy. Where both
 * clusters have such a controller, that of the source takes the mirror for its own (linkerd2 #11358).
 * docs/reference/metadata.md has the sources.
 */
export const othersKeys: Readonly<Record<string, string>> = {
  "app.kubernetes.io/instance": "Argo CD, where it tracks by label, prunes the mirror",
  "app.kubernetes.io/managed-by": "Helm and Config Sync take the mirror for their own",
  "addonmanager.kubernetes.io/*": "the addon manager deletes what it has no manifest of",
  "applyset.kubernetes.io/*": "`kubectl apply --prune --applyset` deletes the mirror",
  "argocd.argoproj.io/*": "Argo CD prunes the mirror, or hooks it into a sync",
  "configmanagement.gke.io/*": "Config Sync takes the mirror for its own",
  "configsync.gke.io/*": "Config Sync takes the mirror for its own",
  "helm.toolkit.fluxcd.io/*": "Flux counts the mirror among a release's objects",
  "kapp.k14s.io/*": "kapp deletes what has an app's label and is not in the app",
  "kubectl.kubernetes.io/last-applied-configuration":
    "`kubectl apply --prune` deletes what has it; it repeats the whole exported Service",
  "kustomize.toolkit.fluxcd.io/*": "Flux counts the mirror among its own, or prunes it",
  "meta.helm.sh/*": "Helm takes the mirror over into a release of that name",
  "objectset.rio.cattle.io/*": "Rancher and k3s delete what is no longer in the set",
  "ad.datadoghq.com/*": "Datadog runs the target's checks from the source too",
  "cloud.google.com/*": "GKE makes network endpoint groups for the mirror",
  "consul.hashicorp.com/*": "Consul registers the mirror in its catalog",
  "external-dns.alpha.kubernetes.io/*": "external-dns publishes the name in the source's zone",
  "getambassador.io/*": "Ambassador makes the mirror a route",
  "prometheus.io/*": "Prometheus scrapes the target through its gateway",
  "service.alpha.openshift.io/*": "OpenShift issues a certificate into a Secret",
  "service.beta.kubernetes.io/*": "load balancers of cloud providers take their settings from it",
  "service.beta.openshift.io/*": "OpenShift issues a certificate into a Secret",
  "service.cilium.io/*": "Cilium spreads the mirror over its own mesh of clusters",
  "service.kubernetes.io/*":
    "kube-proxy leaves the mirror to another proxy, or to zones of the target",
  "tailscale.com/*": "Tailscale exposes the mirror to the tailnet",
};

/** Whether one of the patterns is the key's. */
export function excludes(patterns: readonly string[], key: string): boolean {
  return patterns.some((pattern) =>
    pattern.endsWith("/*") ? key.startsWith(pattern.slice(0, -1)) : key === pattern,
  );
}

/** Whether a key stays behind although no exclusion names it. */
export function isOthers(key: string, { copiedMetadata }: MetadataRules): boolean {
  const group = key.slice(0, key.indexOf("/") + 1);
  const isListed = Object.hasOwn(othersKeys, key) || Object.hasOwn(othersKeys, `${group}*`);
  return isListed && !excludes(copiedMetadata, key);
}

/** The entries of others' keys that are a part of a pattern, or of which the pattern is one. */
export function othersIn(pattern: string): readonly string[] {
  return Object.keys(othersKeys).filter(
    (entry) => excludes([pattern], entry) || excludes([entry], pattern),
  );
}

/** What a Link has to exclude, whose entries know no exceptions. */
export function excludedByLink(rules: MetadataRules) {
  const copied = new Set(rules.copiedMetadata.flatMap(othersIn));
  const others = Object.keys(othersKeys).filter((entry) => !copied.has(entry));
  return {
    labels: [...others, ...rules.excludedLabels],
    annotations: [...others, ...rules.excludedAnnotations],
  };
}
