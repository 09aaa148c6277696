import { readFileSync } from "node:fs";
import { join } from "node:path";
import { observeMesh } from "@linkerd-multicluster/engine/health";
import { UserError } from "@linkerd-multicluster/engine/base";
import type { Documents } from "./documents.ts";
import { type Facts, printableTexts } from "./facts/facts.ts";
import { factsOfClusters } from "./facts/facts-of-clusters.ts";
import { type StackMesh, stackMesh } from "./stack/stack-mesh.ts";
import type { Chosen } from "./stack/stacks.ts";

export interface FactsReading {
  /** Without what mirrors don't depend on, reading needs no rights to tokens, Secrets and pods. */
  readonly mirrorsOnly?: boolean;
}

/** Reads the facts of a stack without a lock and without writing anything. @throws UserError */
export async function readFacts(chosen: Chosen, reading: FactsReading = {}): Promise<Facts> {
  return factsOf(await stackMesh(chosen, process.env), reading);
}

export async function factsOf(
  { mesh, ...known }: StackMesh,
  { mirrorsOnly = false }: FactsReading = {},
): Promise<Facts> {
  const now = new Date();
  const { sources, identities } = known;
  const views = await observeMesh(mesh, now, { sources, identities, mirrorsOnly });
  return factsOfClusters(views, { now, ...known });
}

/** `gather` writes what `status --output json` prints to this file, and `--from` reads it. */
export const bundleFile = "status.json";

/** Reads the facts of each stack in a folder of `gather`. @throws UserError */
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
