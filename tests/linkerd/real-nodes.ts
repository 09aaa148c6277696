import { lackingForNodes } from "../bed/nodes/kit.ts";
import { lackingForLinkerd } from "../bed/nodes/linkerd.ts";
import { notOnPath } from "../bed/path.ts";
import { lackingForPlugins } from "./real-plugins.ts";

/** Returns the reasons why this machine can't run a mesh on real nodes, with these programs besides. */
export async function lackingForMesh(...programs: readonly string[]): Promise<readonly string[]> {
  return [
    ...(await lackingForNodes()),
    ...(await lackingForLinkerd()),
    ...(await notOnPath(programs)),
    ...lackingForPlugins,
  ];
}

/** Returns the end of the title of tests that may be skipped. */
export function skipNoteOf(lacking: readonly string[]): string {
  return lacking.length === 0 ? "" : `, skipped: ${lacking.join("; ")}`;
}
