import { keyOf, objectKey, type Service } from "../../../kubernetes/objects/objects.ts";
import type { LinkSpec } from "../../../model/link.ts";
import type { LiveMirror } from "../../../model/mirror.ts";
import { federated } from "../../../model/owner.ts";
import type { Why } from "../../../model/reasons.ts";
import type { ClusterSnapshot } from "../../../model/snapshot.ts";
import { annotation, federatedName, memberToken, tokensIn } from "../../../model/vocabulary.ts";
import { beyond, bytesLimit, countLimit } from "./limits.ts";
import { bytesOfMirrors } from "./mirror-sizes.ts";

/** A link may have only so many members in federated Services. Those that are listed already stay. */
export function membersBeyondLimit(
  services: readonly Service[],
  link: LinkSpec,
  source: ClusterSnapshot,
): ReadonlyMap<Service, Why> {
  const liveOf = ({ metadata: { namespace, name } }: Service): LiveMirror => {
    const live = source.services.get(objectKey(namespace, federatedName(name)));
    const tokens = tokensIn(live?.metadata.annotations ?? {});
    const isMember = tokens.includes(memberToken(name, link.target));
    return live !== undefined && federated.owns(live) && isMember ? { service: live } : {};
  };
  const sorted = services.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const items = sorted.map((service) => {
    const { namespace, name, labels = {}, annotations = {} } = service.metadata;
    const tokens = { [annotation.remoteMembers]: memberToken(name, link.target) };
    return {
      one: service,
      part: link.target,
      live: liveOf(service),
      wanted: {
        kind: "federated" as const,
        namespace,
        name: federatedName(name),
        labels,
        annotations: { ...annotations, ...tokens },
        ports: service.spec.ports ?? [],
      },
    };
  });
  const what = "members of federated Services";
  const tooMany = new Map(beyond(countLimit(link, items, { number: services.length, what })));
  const rest = items.filter(({ one }) => !tooMany.has(one));
  const tooLarge = beyond(bytesLimit(link, rest, what, bytesOfMirrors()));
  return new Map([...tooMany, ...tooLarge]);
}
