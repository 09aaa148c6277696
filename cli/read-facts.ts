import { readFileSync } from "node:fs";
import { join } from "node:path";
import { observeMesh, type SourceState } from "@linkerd-multicluster/engine/health";
import { omitUndefined, messageOf, UserError } from "@linkerd-multicluster/engine/kubernetes";
import { configOf } from "../config/stack-file.ts";
import type { MeshConfig } from "../config/mesh.ts";
import { project } from "../config/mistakes.ts";
import { healthMesh, mirrorsArgs, ownClusters } from "../config/share.ts";
import type { Documents } from "./documents.ts";
import { type Facts, printableTexts } from "./facts.ts";
import { factsOfClusters } from "./facts-of-clusters.ts";
import { pulumi, type StackLocation, stackStateIn } from "./pulumi.ts";
import type { Chosen } from "./stacks.ts";

/**
 * Reads the facts of a stack without a lock and without writing anything. Clusters are read as `check` reads them, or
 * without what mirrors don't depend on. The state is optional: without it, nothing is known about the last run.
 *
 * @throws UserError
 */
export async function readFacts(
  { folder, ...choice }: Chosen,
  variables: NodeJS.ProcessEnv,
  { now = new Date(), mirrorsOnly = false }: { now?: Date; mirrorsOnly?: boolean } = {},
): Promise<Facts> {
  const named = choice.stack ?? variables["PULUMI_STACK"];
  const at: StackLocation = { folder, variables, ...omitUndefined({ stack: named }) };
  let exported: string | undefined;
  let unreadState: string | undefined;
  try {
    exported = await pulumi(["stack", "export"], at);
  } catch (error) {
    unreadState = messageOf(error);
  }
  const stack = named ?? "";
  const config = await configOf(choice, folder, variables);
  const sources = sourcesOf(config, exported, stack);
  const views = await observeMesh(healthMesh(config), now, { sources, mirrorsOnly });
  return factsOfClusters(views, { now, stack, sources, ...omitUndefined({ unreadState }) });
}

/** The file in the folder of `gather` that `--from` reads: what `status --output json` prints. */
export const bundleFile = "status.json";

/** The facts in a folder of `gather`, by stack. @throws UserError */
export function factsIn(folder: string): readonly Facts[] {
  const file = join(folder, bundleFile);
  let document: Partial<Documents["status"]>;
  try {
    document = JSON.parse(readFileSync(file, "utf8")) as Partial<Documents["status"]>;
  } catch {
    throw new UserError(`${folder} has no readable ${bundleFile}: name a folder that gather wrote`);
  }
  const { version, stacks = [] } = document;
  if (version === 1) return printableTexts(stacks);
  throw new UserError(`${file} has version ${String(version)}, and this program reads version 1.`);
}

/** The inputs of each source's mirrors now, and those of the last run in the state. */
function sourcesOf(
  config: MeshConfig,
  exported: string | undefined,
  stack: string,
): ReadonlyMap<string, SourceState> {
  if (config.manage === "trust") return new Map();
  const state = exported === undefined ? [] : [...stackStateIn(exported).mirrors.values()];
  return new Map(
    [...ownClusters(config).keys()].flatMap((source): [string, SourceState][] => {
      const before = state.find((each) => each.source === source);
      const args = mirrorsArgs(config, source, before?.stack ?? `*/${project}/${stack}`);
      if (args === undefined || args.links.length === 0) return [];
      const made = config.manage === "mirrors" ? undefined : (before?.observedGateways ?? {});
      const own = { statusIn: config.multiclusterNamespace };
      const now = { ...args, ...own, ...omitUndefined({ observedGateways: made }) };
      return [[source, { args: now, before: before ?? {} }]];
    }),
  );
}
