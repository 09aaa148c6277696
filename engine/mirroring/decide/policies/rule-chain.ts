import { type Endpoints, objectKey } from "../../../kubernetes/objects/objects.ts";
import type { GatewayReading } from "../../../model/gateway.ts";
import {
  type HostSubset,
  type Shape,
  whyTooManyPods,
  whyTruncated,
} from "../../../model/headless.ts";
import type { LinkSpec } from "../../../model/link.ts";
import type { Fix } from "../../../model/reasons.ts";
import type { ClusterSnapshot } from "../../../model/snapshot.ts";
import { type Candidate, type Rule, rules, whyHead } from "./rules.ts";

interface LinkCandidate extends Candidate {
  /** This and the next two fields are absent for a mirror on a flat network, which needs no gateway. */
  readonly target?: ClusterSnapshot;
  readonly gateway?: GatewayReading;
  readonly endpoints?: Endpoints | undefined;
  /** Known of a headless Service if the link keeps it headless. */
  readonly shape?: Shape;
  readonly pods?: readonly HostSubset[];
}

/**
 * All rules between an exported Service and its mirror, in order: the first broken one is the reason. What concerns several
 * mirrors comes later: names that collide or are taken (collisions.ts), then limits (most-mirrors.ts).
 */
export const ruleChain: readonly Rule<LinkCandidate>[] = [
  ...rules,
  {
    // Linkerd's destination controller looks for the target's Service in the namespace of the mirror
    // (controller/api/destination/server.go of linkerd2).
    reason: "OtherNamespace",
    broken: ({ gateway, service: { metadata }, place }) =>
      gateway === undefined && place !== metadata.namespace
        ? `mirrorNamespaces puts its mirror into the namespace ${place}, and Linkerd discovers pods only for a mirror in the Service's own namespace: map ${metadata.namespace} to itself, or export it through a gateway`
        : undefined,
  },
  {
    reason: "NoGateway",
    broken: ({ gateway }) => (gateway !== undefined && "why" in gateway ? gateway.why : undefined),
    fix: ({ link, target }) => target && described(link, target),
  },
  {
    reason: "TooLarge",
    broken: ({ cluster, endpoints }) => whyHead(cluster, "Endpoints", endpoints),
  },
  {
    reason: "NoPods",
    broken: ({ shape }) => (typeof shape === "object" ? shape.why : undefined),
  },
  {
    reason: "TruncatedEndpoints",
    broken: ({ service, endpoints, shape }) =>
      shape === "headless" ? whyTruncated(service, endpoints) : undefined,
  },
  {
    reason: "TooLarge",
    broken: ({ service, pods = [], shape }) =>
      shape === "headless" ? whyTooManyPods(service, pods) : undefined,
  },
];

/** Kubernetes records at the Service why it has no address. Without the Service, the gateway may have another name. */
function described({ target, gateway }: LinkSpec, { services }: ClusterSnapshot): Fix | undefined {
  if (gateway === false) return undefined;
  const { namespace, name } = gateway;
  if (!services.has(objectKey(namespace, name)))
    return {
      cluster: target,
      kubectl: "get services --all-namespaces --selector linkerd.io/extension=multicluster",
    };
  return { cluster: target, kubectl: `--namespace ${namespace} describe service ${name}` };
}
