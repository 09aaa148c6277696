import type { ObjectMeta, Service } from "../../../kubernetes/objects/objects.ts";
import type { Drain } from "../../../model/drain.ts";
import { type FederatedClaim, settle } from "../../../model/federated-claim.ts";
import { lossOf } from "../../../model/loss.ts";
import type { Mirror } from "../../../model/mirror.ts";
import { annotation, clusterOfToken, federatedKey, tokensIn } from "../../../model/vocabulary.ts";
import type { FederatedView, Member } from "./members.ts";

/**
 * Says what a drain takes from a federated Service that lists the cluster: a member that would otherwise stay, since its
 * Service is exported or nobody knows.
 */
export function drainOf(
  claim: FederatedClaim,
  leaving: readonly Member[],
  live: Service | undefined,
  { source, links, drained, readyIn }: FederatedView,
): Drain | undefined {
  const before = membersOf(live?.metadata, source.cluster);
  const left = membersOf(settle(claim, live).mirror, source.cluster);
  const isUnread = (cluster: string) =>
    links.some(({ link, target }) => link.target === cluster && target === undefined);
  const isTaken = (cluster: string) =>
    drained.has(cluster) &&
    !left.includes(cluster) &&
    (isUnread(cluster) || leaving.some((each) => (each.cluster ?? source.cluster) === cluster));
  const taken = before.filter(isTaken);
  const loss = lossOf([...left, ...taken], isTaken, (cluster) => readyIn(cluster, claim.origin));
  return loss && { key: federatedKey(claim.origin), ...loss };
}

function membersOf(
  annotated: Pick<Mirror, "annotations"> | Partial<ObjectMeta> = {},
  source: string,
) {
  const { annotations = {} } = annotated;
  const own = annotations[annotation.localMember] === undefined ? [] : [source];
  return [...own, ...tokensIn(annotations).map(clusterOfToken)];
}
