import { excludes, type Mirror } from "../model/mirror.ts";
import type { Service, StringMap } from "../../kubernetes/objects/objects.ts";
import { annotation, exportAnnotation } from "../model/vocabulary.ts";
import type { LinkSpec } from "../model/link.ts";

/**
 * Mirrors get labels and annotations of the exported Service (linkerd-behaviour.md 2.6, 2.7). There are three
 * differences from Linkerd: `group/*` excludes the keys of exactly that group; other controllers' keys are not copied;
 * and neither are `multicluster.linkerd.io/` keys of the target, which say how the target itself discovers a Service.
 */

export type MetadataRules = Pick<
  LinkSpec,
  "excludedLabels" | "excludedAnnotations" | "copiedMetadata"
>;

export function copiedLabels(service: Service, link: MetadataRules): StringMap {
  return pick(
    service.metadata.labels,
    (key) =>
      !key.startsWith("mirror.linkerd.io") &&
      !key.startsWith("multicluster.linkerd.io/") &&
      !isOthers(key, link) &&
      !excludes(link.excludedLabels, key),
  );
}

export function copiedAnnotations(service: Service, link: MetadataRules): StringMap {
  return pick(
    service.metadata.annotations,
    (key) =>
      // Proxies need this key on a mirror, even if it is excluded.
      key === annotation.opaquePorts ||
      (!key.startsWith("multicluster.linkerd.io/") &&
        !ownKeys.has(key) &&
        !isOthers(key, link) &&
        !excludes(link.excludedAnnotations, key)),
  );
}

/** A mirror is never exported, so it doesn't need the clusters that may import it. */
const ownKeys: ReadonlySet<string> = new Set(Object.values(exportAnnotation));

/** Live keys of a mirror are judged by what the exclusions hold back. */
export function withheld(
  { metadata: { labels = {}, annotations = {} } }: Service,
  { excludedLabels, excludedAnnotations }: MetadataRules,
): Pick<Mirror, "withheld"> {
  if (excludedLabels.length + excludedAnnotations.length === 0) return {};
  return {
    withheld: {
      labels: { patterns: excludedLabels, values: labels },
      annotations: { patterns: excludedAnnotations, values: annotations },
    },
  };
}

function pick(map: StringMap = {}, wanted: (key: string) => boolean): StringMap {
  return Object.fromEntries(Object.entries(map).filter(([key]) => wanted(key)));
}

/**
 * Other controllers own a Service or act on it by these keys; the values say what a copy causes. If both clusters have
 * such a controller, the source's claims the mirror (linkerd2 #11358). docs/reference/metadata.md has the sources.
 */
export const othersKeys: Readonly<Record<string, string>> = {
  "app.kubernetes.io/instance": "Argo CD, where it tracks by label, prunes the mirror",
  "app.kubernetes.io/managed-by":
    "Helm and Config Sync mistake the mirror for one of their objects",
  "addonmanager.kubernetes.io/*": "the addon manager deletes objects that it has no manifest for",
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
  "io.cilium/*": "Cilium spreads the mirror over its own mesh of clusters",
  "k8s.grafana.com/*": "Grafana Alloy scrapes the target through its gateway",
  "prometheus.io/*": "Prometheus scrapes the target through its gateway",
  "service.alpha.openshift.io/*": "OpenShift issues a certificate into a Secret",
  "service.beta.kubernetes.io/*": "load balancers of cloud providers take their settings from it",
  "service.beta.openshift.io/*": "OpenShift issues a certificate into a Secret",
  "service.cilium.io/*": "Cilium spreads the mirror over its own mesh of clusters",
  "service.kubernetes.io/*":
    "kube-proxy leaves the mirror to another proxy, or to zones of the target",
  "skupper.io/*": "Skupper exposes the mirror in its own network",
  "tailscale.com/*": "Tailscale exposes the mirror to the tailnet",
};

function isOthers(key: string, { copiedMetadata }: MetadataRules): boolean {
  const group = key.slice(0, key.indexOf("/") + 1);
  const isListed = Object.hasOwn(othersKeys, key) || Object.hasOwn(othersKeys, `${group}*`);
  return isListed && !excludes(copiedMetadata, key);
}

export function othersIn(pattern: string): readonly string[] {
  return Object.keys(othersKeys).filter(
    (entry) => excludes([pattern], entry) || excludes([entry], pattern),
  );
}

/** The entries of a Link allow no exceptions, so they list all keys that aren't copied. */
export function excludedByLink(rules: MetadataRules) {
  const copied = new Set(rules.copiedMetadata.flatMap(othersIn));
  const others = Object.keys(othersKeys).filter((entry) => !copied.has(entry));
  return {
    labels: [...others, ...rules.excludedLabels],
    annotations: [...others, ...rules.excludedAnnotations],
  };
}
