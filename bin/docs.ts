/** `npm run docs`: writes what the table of config keys says into Pulumi.yaml and the reference, and the schema of the commands' output. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { documents } from "../config/docs.ts";
import { outputSchema, outputSchemaFile } from "./output-schema.ts";

const root = join(import.meta.dirname, "..");
await writeFile(join(root, outputSchemaFile), await outputSchema());
for (const [name, written] of Object.entries(documents)) {
  const file = join(root, name);
  await writeFile(file, await written(await readFile(file, "utf8")));
}
