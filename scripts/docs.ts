/**
 * `npm run docs`: writes the program's tables into the reference, those of config keys into Pulumi.yaml too, the runner's
 * rights into the examples, the examples into the pages for Pulumi's registry, and the schemas of the commands' output and of the Pulumi package. With `--check`, it writes nothing and fails where
 * that would change a file.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import * as prettier from "prettier";
import { createGenerator } from "ts-json-schema-generator";
import manifest from "../package.json" with { type: "json" };
import { accessDocuments } from "./access-docs.ts";
import { documents } from "./config-docs.ts";
import { packageSchema } from "./package/schema.ts";
import { referenceDocuments } from "./reference-docs.ts";
import { registryDocuments } from "./registry-docs.ts";

const root = join(import.meta.dirname, "..");
/** A release sets it. */
const repository = "repository" in manifest ? String(manifest.repository) : undefined;
const files = {
  ...documents,
  ...accessDocuments,
  ...referenceDocuments,
  "docs/reference/output.schema.json": outputSchema,
  // Pulumi's registry reads these from the repository.
  ...registryDocuments(manifest.version, repository),
  "schema.json": () => json(packageSchema(manifest.version, repository)),
};
const isCheck = process.argv.includes("--check");

for (const [name, written] of Object.entries(files)) {
  const file = join(root, name);
  const before = await readFile(file, "utf8");
  const after = await written(before);
  if (after === before) continue;
  if (!isCheck) await writeFile(file, after);
  else {
    console.error(`${name} is not what its sources say: run npm run docs`);
    process.exitCode = 1;
  }
}

function outputSchema(): Promise<string> {
  const generator = createGenerator({
    path: join(root, "cli/documents.ts"),
    tsconfig: join(root, "tsconfig.json"),
    type: "Documents",
    // `npm run types` checks the types.
    skipTypeCheck: true,
    // Fields may be added.
    additionalProperties: true,
    topRef: false,
  });
  return json(generator.createSchema("Documents"));
}

function json(value: object): Promise<string> {
  return prettier.format(JSON.stringify(value), { parser: "json", printWidth: 100 });
}
