import type { ClusterSnapshot } from "../../../model/snapshot.ts";

/** Returns the Link's creation time (RFC 3339); undefined if there is no Link or it can't be read. */
export type AgeOf = (target: string) => string | undefined;

export function agesOfLinks({ links }: ClusterSnapshot): AgeOf {
  const all = [...(links?.values() ?? [])].map(({ metadata }) => metadata);
  const ages = new Map(all.map(({ name, creationTimestamp }) => [name, creationTimestamp]));
  return (target) => ages.get(target);
}

/** The local member is first, then age of the Link and name decide (4.3; in Linkerd, ties change from run to run). */
export function rankOf(cluster: string | undefined, age: AgeOf): string {
  return cluster === undefined ? "" : `${age(cluster) ?? "unknown"} ${cluster}`;
}
