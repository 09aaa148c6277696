import { omitUndefined } from "@linkerd-multicluster/engine/kubernetes";
import type { MeshConfig } from "../config/mesh.ts";
import { targetsRevokedFor } from "../config/share.ts";
import type { RevocationArgs } from "@linkerd-multicluster/engine/credentials";

/**
 * Who loses access to which clusters. A revoked cluster loses it to all that remain, whichever links
 * the config still lists: its account is looked for in each of them. Where several stacks have the
 * clusters of a mesh, each takes the access to its own clusters, and the stack that gave it all of it:
 * the one of a revoked cluster may be in other hands.
 *
 * @param uids of the clusters that remain, as read at the start of this run
 */
export function revocationArgs(
  { clusters, manage, multiclusterNamespace, revoked, sources: own }: MeshConfig,
  uids: ReadonlyMap<string, string | undefined>,
): readonly RevocationArgs[] {
  const targetOf = (source: string, name: string) => {
    const access = clusters.get(name)?.access;
    const isOurs = own.has(source) || own.has(name);
    if (access === undefined || !isOurs || manage === "mirrors") return [];
    return [[name, { ...access, ...omitUndefined({ uid: uids.get(name) }) }] as const];
  };
  const args = (source: string, isolated: boolean, names: Iterable<string>) => ({
    source,
    isolated,
    namespace: multiclusterNamespace,
    targets: Object.fromEntries([...names].flatMap((name) => targetOf(source, name))),
  });
  const sources = new Set(revoked.links.map(({ source }) => source));
  return [
    ...[...revoked.clusters.keys()].map((name) => args(name, true, clusters.keys())),
    ...[...sources]
      .map((name) => args(name, false, targetsRevokedFor(name, revoked)))
      .filter(({ targets }) => Object.keys(targets).length > 0),
  ];
}
