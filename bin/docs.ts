/** `npm run docs`: writes what the table of config keys says into Pulumi.yaml and the reference. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { documents } from "../config/docs.ts";

for (const [name, written] of Object.entries(documents)) {
  const file = join(import.meta.dirname, "..", name);
  await writeFile(file, await written(await readFile(file, "utf8")));
}
