import { count, listed } from "../base/message.ts";
import type { Decision } from "./decision.ts";
import { excludes, type FieldChange } from "./mirror.ts";
import type { Service, StringMap } from "../kubernetes/objects/objects.ts";
import { nothing } from "./difference.ts";
import { annotation } from "./vocabulary.ts";
import type { MetadataRules } from "./link.ts";

/**
 * Mirrors get only those labels and annotations of the exported Service that Linkerd reads on a mirror, and those that
 * the link's `copiedMetadata` lists (docs/decisions/0023). Linkerd copies all (linkerd-behaviour.md 2.6, 2.7).
 */

/** @param rules a key is copied only if all of them copy it */
export function copiedLabels(service: Service, ...rules: readonly MetadataRules[]): StringMap {
  return pick(service.metadata.labels, (key) =>
    rules.every((each) => !excludes(each.excludedLabels, key) && isListed(key, each)),
  );
}

export function copiedAnnotations(service: Service, ...rules: readonly MetadataRules[]): StringMap {
  return pick(
    service.metadata.annotations,
    (key) =>
      // Proxies need this key on a mirror, even if it is excluded.
      key === annotation.opaquePorts ||
      rules.every(
        (each) =>
          !excludes(each.excludedAnnotations, key) && (isLinkerds(key) || isListed(key, each)),
      ),
  );
}

function pick(map: StringMap = {}, wanted: (key: string) => boolean): StringMap {
  return Object.fromEntries(
    Object.entries(map).filter(([key]) => !isNeverCopied(key) && wanted(key)),
  );
}

/** Linkerd configures retries, timeouts and circuit breakers of requests to a mirror by annotations of its groups. */
function isLinkerds(key: string): boolean {
  return groupOf(key).endsWith(".linkerd.io");
}

/**
 * These groups say what a mirror is, how the target itself discovers and exports the Service, and whether Kubernetes
 * makes EndpointSlices of Endpoints. Copies would be false.
 */
const neverCopied: ReadonlySet<string> = new Set([
  "mirror.linkerd.io",
  "multicluster.linkerd.io",
  "linkerd-multicluster",
  "endpoints.kubernetes.io",
  "endpointslice.kubernetes.io",
]);

export function isNeverCopied(key: string): boolean {
  return neverCopied.has(groupOf(key));
}

/** Returns whether neither Linkerd nor this program reads the key on a mirror. */
export function isFreelyCopied(key: string): boolean {
  return !isNeverCopied(key) && !isLinkerds(key);
}

function groupOf(key: string): string {
  return key.slice(0, Math.max(key.indexOf("/"), 0));
}

function isListed(key: string, { copiedMetadata }: MetadataRules): boolean {
  return excludes(copiedMetadata, key) || (copiedMetadata.includes("*") && !isOthers(key));
}

/** Returns the key of a changed label or annotation; undefined for any other field. */
export function keyOfField(field: FieldChange["field"]): string | undefined {
  return /^(?:label|annotation) (.+)$/.exec(field)?.[1];
}

/** Names the keys that a run removes from mirrors, since something in the source may select mirrors by them. */
export function leavingNotes(decisions: readonly Decision[]): string[] {
  const leaving = decisions.flatMap(({ key, ...each }) => {
    const fields = each.verdict === "update" ? each.fields : [];
    const keys = fields.flatMap(({ field, wanted }) => {
      const key = keyOfField(field);
      return key === undefined || wanted !== nothing || isNeverCopied(key) ? [] : [field];
    });
    return keys.map((field) => ({ key, field }));
  });
  if (leaving.length === 0) return [];
  const [mirrors, fields] = [
    new Set(leaving.map(({ key }) => key)),
    leaving.map(({ field }) => field),
  ];
  return [
    `${count(mirrors.size, "mirror")} will lose what isn't copied any longer (${listed([...new Set(fields)].sort(), 10)}): list in copiedMetadata of the link what a NetworkPolicy, a ServiceMonitor or another selector in the source needs`,
  ];
}

/**
 * Other controllers own a Service or act on it by these keys; the values say what a copy causes. If both clusters have
 * such a controller, the source's claims the mirror (linkerd2 #11358). No such list is complete, so it is not what
 * protects a mirror: it holds for links that copy all keys, and for Linkerd's controller. docs/reference/metadata.md has
 * the sources.
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
  "scylla/*": "ScyllaDB's operator deletes Services of its labels that it doesn't want",
  "scylla-operator.scylladb.com/*":
    "ScyllaDB's operator deletes Services of its labels that it doesn't want",
  "strimzi.io/*": "Strimzi deletes Services of its labels that it doesn't want",
  "ad.datadoghq.com/*": "Datadog runs the target's checks from the source too",
  "endpointslice.kubernetes.io/*":
    "Kubernetes makes no EndpointSlices of the mirror's Endpoints, so requests fail",
  "cattle.io/*": "Rancher gives the mirror a selector, or replaces its addresses",
  "field.cattle.io/*": "Rancher gives the mirror a selector, or replaces its addresses",
  "cloud.google.com/*": "GKE makes network endpoint groups for the mirror",
  "co.elastic/*": "Elastic's agents collect from the target through its gateway",
  "consul.hashicorp.com/*": "Consul registers the mirror in its catalog",
  "dynatrace.com/*": "Dynatrace scrapes the target through its gateway",
  "metrics.dynatrace.com/*": "Dynatrace scrapes the target through its gateway",
  "external-dns.alpha.kubernetes.io/*": "external-dns publishes the name in the source's zone",
  "getambassador.io/*": "Ambassador makes the mirror a route",
  "io.cilium/*": "Cilium spreads the mirror over its own mesh of clusters",
  "k8s.grafana.com/*": "Grafana Alloy scrapes the target through its gateway",
  "kube-router.io/*": "kube-router announces the mirror's address, or returns its traffic directly",
  "netbird.io/*": "NetBird exposes the mirror to its network",
  "prometheus.io/*": "Prometheus scrapes the target through its gateway",
  "service.alpha.openshift.io/*": "OpenShift issues a certificate into a Secret",
  "service.beta.kubernetes.io/*": "load balancers of cloud providers take their settings from it",
  "service.beta.openshift.io/*": "OpenShift issues a certificate into a Secret",
  "service.cilium.io/*": "Cilium spreads the mirror over its own mesh of clusters",
  "service.kubernetes.io/*":
    "kube-proxy leaves the mirror to another proxy, or to zones of the target",
  "skupper.io/*": "Skupper exposes the mirror in its own network",
  "tailscale.com/*": "Tailscale exposes the mirror to the tailnet",
  "resource.twingate.com/*": "Twingate exposes the mirror to its network",
};

/**
 * An entry for a group also stands for the groups below it, such as `logs.dynatrace.com` and `co.elastic.logs`, and for
 * the group itself as a key.
 */
function isOthers(key: string): boolean {
  if (Object.hasOwn(othersKeys, key)) return true;
  const parts = key.split("/", 1).join().split(".");
  return parts.some(
    (_, at) =>
      Object.hasOwn(othersKeys, `${parts.slice(at).join(".")}/*`) ||
      Object.hasOwn(othersKeys, `${parts.slice(0, at + 1).join(".")}/*`),
  );
}

function othersIn(pattern: string): readonly string[] {
  return Object.keys(othersKeys).filter(
    (entry) => excludes([pattern], entry) || excludes([entry], pattern),
  );
}

/** Linkerd's controller copies what its Link doesn't exclude. A Link knows no exceptions from a group. */
export function excludedByLink(rules: MetadataRules) {
  const copied = new Set(rules.copiedMetadata.flatMap(othersIn));
  const others = Object.keys(othersKeys).filter((entry) => !copied.has(entry));
  return {
    labels: [...others, ...rules.excludedLabels],
    annotations: [...others, ...rules.excludedAnnotations],
  };
}
