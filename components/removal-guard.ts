import { isDeepStrictEqual } from "node:util";
import * as pulumi from "@pulumi/pulumi";
import {
  hasLinkerd,
  type Installed,
  type InstalledArgs,
  installedParts,
  judgeRemoval,
  pairOf,
  refusedRemoval,
  remembered,
  type Remembering,
} from "@linkerd-multicluster/engine/credentials";
import { omitUndefined } from "@linkerd-multicluster/engine/base";
import type { MeshConfig } from "../config/mesh.ts";
import { ownClusters, ownLinks, touchedClusters } from "../config/share.ts";
import { EngineResource, engineType } from "./engine-resource.ts";
import { ForgottenCluster } from "./forgotten-cluster.ts";
import { valueOf } from "./output-value.ts";

/** Remembers what this stack has installed. Nothing else in a program can know what the state still has. */
class InstalledMemory extends EngineResource {
  declare readonly memory: pulumi.Output<Remembering["memory"]>;
  declare readonly mesh: pulumi.Output<string | undefined>;
  declare readonly triggers: pulumi.Output<Remembering["triggers"]>;
  declare readonly publication: pulumi.Output<unknown>;
  declare readonly leaving: pulumi.Output<InstalledArgs["leaving"] | undefined>;

  constructor(args: InstalledArgs, opts: pulumi.CustomResourceOptions) {
    const former = { mesh: undefined, triggers: undefined, publication: undefined };
    super("Installed", "installed", { ...args, memory: undefined, ...former }, opts);
  }
}

/** Returns the guard of this run, which depends on what stays in its cluster and leaves the state. */
export function removalGuard(
  config: MeshConfig,
  parent: pulumi.Resource,
): (kept: readonly pulumi.Resource[]) => Promise<void> {
  const forgotten = keptClusters(config).map((name) => {
    const known = config.clusters.get(name) ?? { name, access: { context: name } };
    return new ForgottenCluster(name, known, { parent });
  });
  return async (kept) => {
    const before = [...kept, ...forgotten.map(({ provider }) => provider)];
    const left = await guardRemovals(config, parent, before);
    for (const cluster of forgotten) if (hasLinkerd(left[cluster.name])) cluster.keepReleases();
  };
}

/**
 * Refuses to go on if the run would remove something that it was not told to, before anything is deleted. The engine
 * doesn't check a resource that `--target` leaves out, but returns what it remembers, so the program judges too.
 *
 * @param dependsOn whatever has to be in state before anything may leave it
 * @returns what stays in its cluster and is about to leave the state
 * @throws RunError with what would go, and the keys that allow it
 */
export async function guardRemovals(
  config: MeshConfig,
  parent: pulumi.Resource,
  dependsOn: pulumi.Resource[] = [],
): Promise<Installed> {
  const args = installedArgs(config);
  const memory = new InstalledMemory(args, { parent, dependsOn, aliases: formerly(config) });
  const found = omitUndefined({
    memory: await valueOf(memory.memory),
    mesh: await valueOf(memory.mesh),
    triggers: await valueOf(memory.triggers),
    publication: await valueOf(memory.publication),
  });
  const judged = judgeRemoval(remembered(found, args), args);
  const isLeftOut =
    Object.keys(args.leaving).length > 0 &&
    Object.keys(found).length > 0 &&
    !isDeepStrictEqual(await valueOf(memory.leaving), args.leaving);
  const refusal = isLeftOut
    ? "linkerd-multicluster:leaving is set, and this run leaves out what has to come first: run pulumi up without --target and --exclude."
    : refusedRemoval(judged);
  // A key that is left over from another mode must not hide what the change of mode would remove.
  const ignored =
    config.ignored.length > 0 && ["The config needs a change:", ...config.ignored].join("\n  ");
  const why = [refusal, ignored].filter(Boolean);
  if (why.length > 0) throw new pulumi.RunError(why.join("\n"));
  return judged.kept;
}

/** Clusters that this run lets go of as a whole, and doesn't write to. */
function keptClusters(config: MeshConfig): readonly string[] {
  const { live } = installedArgs(config);
  return Object.entries(config.leaving).flatMap(([name, how]) =>
    how === "keep" && !live.includes(name) && !config.revoked.clusters.has(name) ? [name] : [],
  );
}

function installedArgs(config: MeshConfig): InstalledArgs {
  const { manage, trust, clusters, links, leaving, revoked } = config;
  const { linkerdNamespace, multiclusterNamespace, trustKeysExported } = config;
  const hasLinks = manage === "all" || manage === "links";
  const own = [...(manage === "all" ? ownClusters(config).keys() : [])];
  const generation = trust.kind === "generated" ? trust.generation : 0;
  const hasKeys = manage === "all" || manage === "trust";
  return {
    wanted: installedParts({
      linkerdNamespace,
      multiclusterNamespace,
      linkerd: new Map(own.map((name) => [name, trust.kind !== "external"])),
      links: hasLinks ? ownLinks(config).map(({ spec }) => spec) : [],
    }),
    keys: hasKeys ? [generation, generation - 1].filter((each) => each > 0) : [],
    areKeysExported: trustKeysExported,
    leaving,
    clusters: [...clusters.keys()],
    revoked: [...revoked.clusters.keys()],
    links: links.map(({ spec }) => pairOf(spec)),
    live: hasLinks ? [...touchedClusters(config).keys()] : [],
    ...(trust.kind !== "generated" && { trustElsewhere: true }),
  };
}

/** The memory takes over the state of what knew most before there was one, also under the other kind of parent. */
function formerly({ manage }: MeshConfig): pulumi.Alias[] {
  const component = (name: string, kind: string, parent?: pulumi.Output<string>) =>
    pulumi.createUrn(name, `linkerd-multicluster:index:${kind}`, parent);
  const health = { type: engineType("Health"), name: "health" };
  if (manage === "trust") {
    const parent = component("mesh", "Mesh");
    return [{ parent }, { ...health, parent }];
  }
  const parent = component("trust", "TrustStack");
  const published = {
    type: engineType("TrustPublication"),
    name: "trust",
    parent: component("trust", "TrustRoot", parent),
  };
  return [{ parent }, health, published];
}
