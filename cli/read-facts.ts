import { readFileSync } from "node:fs";
import { join } from "node:path";
import { observeMesh } from "@linkerd-multicluster/engine/health";
import { UserError } from "@linkerd-multicluster/engine/kubernetes";
import type { Documents } from "./documents.ts";
import { type Facts, printableTexts } from "./facts.ts";
import { factsOfClusters } from "./facts-of-clusters.ts";
import { type StackMesh, stackMesh } from "./stack-mesh.ts";
import type { Chosen } from "./stacks.ts";

/**
 * Reads the facts of a stack without a lock and without writing anything. Clusters are read as `check` reads them, or
 * without what mirrors don't depend on. The state is optional: without it, nothing is known about the last run.
 *
 * @throws UserError
 */
export async function readFacts(
  chosen: Chosen,
  variables: NodeJS.ProcessEnv,
  options: FactsReading = {},
): Promise<Facts> {
  return factsOf(await stackMesh(chosen, variables), chosen, variables, options);
}

interface FactsReading {
  readonly now?: Date;
  readonly mirrorsOnly?: boolean;
}

/** Reads the clusters of a stack whose mesh is known already. */
export async function factsOf(
  { mesh, sources, ...unread }: StackMesh,
  chosen: Chosen,
  variables: NodeJS.ProcessEnv,
  { now = new Date(), mirrorsOnly = false }: FactsReading = {},
): Promise<Facts> {
  const stack = chosen.stack ?? variables["PULUMI_STACK"] ?? "";
  const views = await observeMesh(mesh, now, { sources, mirrorsOnly });
  return factsOfClusters(views, { now, stack, sources, ...unread });
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
