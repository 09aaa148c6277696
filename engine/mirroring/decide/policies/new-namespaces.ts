import { bounds } from "../../../kubernetes/objects/bounds.ts";
import { inDigits } from "../../../base/message.ts";
import { type Decision, isWanted, namespacesToCreate } from "../../../model/decision.ts";
import type { LinkSpec } from "../../../model/link.ts";
import { federatedPart } from "../../../model/owner.ts";
import type { Why } from "../../../model/reasons.ts";
import type { ClusterSnapshot } from "../../../model/snapshot.ts";
import { label } from "../../../model/vocabulary.ts";

/**
 * Returns mirrors in namespaces that would be one too many for their link. The program deletes no namespace, so whatever
 * it has created for a link counts, and a target gains nothing by exporting from others.
 */
export function inTooManyNamespaces(
  decisions: readonly Decision[],
  links: readonly LinkSpec[],
  source: ClusterSnapshot,
): ReadonlyMap<string, Why> {
  const { most } = bounds.namespaces;
  const created = [...source.namespaces.values()].flatMap(({ metadata: { labels = {} } }) =>
    labels[label.mirrored] === "true" ? [labels[label.cluster] ?? federatedPart] : [],
  );
  const byPart = Map.groupBy(namespacesToCreate(decisions, source), ([, part]) => part);
  const refused = new Map(
    [...byPart].flatMap(([part, namespaces]) => {
      const left = most - created.filter((each) => each === part).length;
      return namespaces.slice(Math.max(left, 0));
    }),
  );
  const creating = new Set(links.flatMap((link) => (link.createNamespaces ? link.target : [])));
  return new Map(
    decisions.filter(isWanted).flatMap(({ part, key, wanted }): [string, Why][] => {
      const maker = refused.get(wanted.namespace);
      // Another link may create the namespace.
      if (maker === undefined || (maker !== part && creating.has(part))) return [];
      const sentence = `${source.cluster} lacks its namespace, and createNamespaces creates at most ${inDigits(most)} for ${maker === federatedPart ? "federated Services" : `link ${source.cluster} → ${maker}`}: check that all of it should be exported, then create the namespace there`;
      const fix = { cluster: source.cluster, kubectl: `create namespace ${wanted.namespace}` };
      return [[`${part} ${key}`, { reason: "TooManyMirrors", sentence, fix }]];
    }),
  );
}
