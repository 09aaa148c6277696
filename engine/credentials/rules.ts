import type { LabelSelector, LinkSpec } from "../model/link.ts";
import type { PolicyRule } from "./state.ts";
import { linkerdConfigName } from "./linkerd-config.ts";

interface LinkUse {
  /** Linkerd's own controller mirrors the link and writes Events. */
  readonly controller: boolean;
  /** The source's destination controller watches pods in the target, for pod-to-pod traffic. */
  readonly discovery: boolean;
}

const watched = ["get", "list", "watch"];

/** The source watches the pods of Services that these select. A link that only uses a gateway has none. */
export function discoverySelectors(
  spec: Pick<LinkSpec, "remoteDiscoverySelector" | "federatedServiceSelector">,
): LabelSelector[] {
  return [spec.remoteDiscoverySelector, spec.federatedServiceSelector].filter(selectsSomething);
}

/**
 * Linkerd's controller may mirror at any time, so it needs the rights for all its selectors. Otherwise, the run in which
 * the target first has Services to discover grants them.
 */
export function linkUse(
  spec: LinkSpec,
  mirroring: "pulumi" | "controller",
  discovers: boolean,
): LinkUse {
  const controller = mirroring === "controller";
  const discovery = discoverySelectors(spec).length > 0 && (controller || discovers);
  return { controller, discovery };
}

/** Linkerd's informers are cluster-wide, so none of the rights can be limited to namespaces. */
export function accessRules({ controller, discovery }: LinkUse): PolicyRule[] {
  return [...always, ...(controller ? forController : []), ...(discovery ? forDiscovery : [])];
}

const always: readonly PolicyRule[] = [
  // The mirror controller's informers read these (linkerd-behaviour.md 2.1); `linkerd multicluster check` asks for the
  // verbs on services (8, check 4).
  { apiGroups: [""], resources: ["services", "endpoints"], verbs: watched },
  // `linkerd multicluster check` compares the trust anchors in this ConfigMap (8, check 5), which holds no secret.
  {
    apiGroups: [""],
    resources: ["configmaps"],
    resourceNames: [linkerdConfigName],
    verbs: ["get"],
  },
];

const forController: readonly PolicyRule[] = [
  // The controller writes the Event ServiceMirroringSkipped on the exported Service (2.3, 7.1).
  { apiGroups: [""], resources: ["events"], verbs: ["create", "patch"] },
];

/**
 * The destination controller refuses to start its client for a remote cluster without listing all pods. No informer reads
 * Jobs, which Linkerd's chart also grants (1.10): the owner of a remote pod is looked up in the cache alone.
 */
const forDiscovery: readonly PolicyRule[] = [
  { apiGroups: [""], resources: ["pods"], verbs: watched },
  { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: watched },
  // Servers say whether a port of a pod is opaque.
  { apiGroups: ["policy.linkerd.io"], resources: ["servers"], verbs: watched },
  // ReplicaSets lead to the workload of a pod, for metrics.
  { apiGroups: ["apps"], resources: ["replicasets"], verbs: watched },
];

function selectsSomething({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean {
  return Object.keys(matchLabels).length + matchExpressions.length > 0;
}

/** Formats a label selector as the API takes it in a query: `app=web,tier in (a,b),!canary`. */
export function selectorText({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  return [
    ...Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`),
    ...matchExpressions.map(({ key, operator, values = [] }) => {
      if (operator === "Exists") return key;
      if (operator === "DoesNotExist") return `!${key}`;
      return `${key} ${operator === "In" ? "in" : "notin"} (${values.join(",")})`;
    }),
  ].join(",");
}
