import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { repository } from "../bed/stack.ts";

/** Returns the specifier by which a written program imports a file of `components`. */
export function importedFrom(file: string): string {
  return JSON.stringify(join(repository, "components", file));
}

/** Writes a program for the real engine into a folder, with the repository's packages. */
export async function writeProgramText(folder: string, text: string): Promise<void> {
  await mkdir(folder);
  await symlink(join(repository, "node_modules"), join(folder, "node_modules"));
  const files = {
    "Pulumi.yaml":
      "name: linkerd-multicluster\nmain: index.ts\nruntime: {name: nodejs, options: {typescript: false}}\n",
    "package.json": JSON.stringify({ type: "module", main: "index.ts" }),
    "index.ts": text,
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
}
