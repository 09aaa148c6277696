import type { LinkResource, ServiceStatus } from "../../kubernetes/objects/link-resource.ts";
import { namespaceOf, type ObjectKey } from "../../kubernetes/objects/objects.ts";
import { valueIn } from "../../base/result.ts";
import { whyExcluded } from "../../model/selection.ts";
import { originOf } from "../../model/live-mirrors.ts";
import { marksOn } from "../../model/marks.ts";
import type { LinkObservation } from "../../model/observation.ts";
import { federated, mirrorsOf } from "../../model/owner.ts";
import type { ClusterSnapshot } from "../../model/snapshot.ts";
import { type LinkStatusList, refKey } from "../../model/service-status.ts";
import { clusterOfToken, tokensIn } from "../../model/vocabulary.ts";

/** Returns by mirror the namespace of its exported Service, of all mirrors of the target that another stack has marked. */
export function markedByOthers(
  target: string,
  { services }: ClusterSnapshot,
  stacks: readonly string[],
): ReadonlyMap<ObjectKey, string> {
  const { owns } = mirrorsOf(target);
  return new Map(
    [...services].flatMap(([key, service]) => {
      const { annotations = {} } = service.metadata;
      const isOfLink =
        owns(service) ||
        (federated.owns(service) && tokensIn(annotations).map(clusterOfToken).includes(target));
      if (!isOfLink || marksOn(service.metadata, stacks, target).others.length === 0) return [];
      return [[key, namespaceOf(originOf(key, { service }).service ?? key)] as const];
    }),
  );
}

/**
 * Returns the exported Services whose entries in the status of a Link this run leaves as they are, because stacks that
 * share a link would rewrite each other's for ever. A mirror that another stack has marked keeps its entry while it exists,
 * unless this stack has the same. What isn't mirrored carries no mark: such an entry stays while the Service exists, if this
 * link doesn't cover it, doesn't select it although another stack mirrors in the same namespaces, or gives the same reason in
 * other words.
 *
 * @param observation absent if the link has left the config
 */
export function othersEntries(
  { list, entries }: Pick<LinkStatusList, "list" | "entries">,
  live: LinkResource,
  observation: LinkObservation | undefined,
  marked: ReadonlyMap<ObjectKey, string>,
): ReadonlySet<ObjectKey> {
  if (marked.size === 0) return new Set();
  const own = new Map(entries.map((entry) => [entry.remote, entry]));
  const exporting = valueIn(observation?.target)?.snapshot.services;
  const link = observation?.link;
  const covers = (namespace: string) =>
    link !== undefined && whyExcluded(namespace, link) === undefined;
  const isMixed = [...new Set(marked.values())].some(covers);
  const isOthers = (entry: ServiceStatus): boolean => {
    const remote = refKey(entry.remoteRef);
    const mine = own.get(remote);
    const { localRef, reason } = entry.conditions?.find(({ type }) => type === "Mirrored") ?? {};
    if (localRef !== undefined) {
      const isMine = mine?.problem === undefined && mine?.local === refKey(localRef);
      return marked.has(refKey(localRef)) && !isMine;
    }
    if (exporting?.has(remote) !== true) return false;
    if (!covers(namespaceOf(remote))) return true;
    if (mine === undefined) return isMixed;
    return mine.problem !== undefined && mine.problem.reason === reason;
  };
  return new Set(
    (live.status?.[list] ?? []).filter(isOthers).map(({ remoteRef }) => refKey(remoteRef)),
  );
}
