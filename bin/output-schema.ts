import { join } from "node:path";
import * as prettier from "prettier";
import { createGenerator } from "ts-json-schema-generator";

/** The file that holds it. */
export const outputSchemaFile = "docs/reference/output.schema.json";

/** The JSON schema of what the commands print: `#/properties/status` and so on. */
export function outputSchema(): Promise<string> {
  const root = join(import.meta.dirname, "..");
  const generator = createGenerator({
    path: join(root, "tool/documents.ts"),
    tsconfig: join(root, "tsconfig.json"),
    type: "Documents",
    // `npm run types` does that.
    skipTypeCheck: true,
    // Fields may be added.
    additionalProperties: true,
    topRef: false,
  });
  const schema = JSON.stringify(generator.createSchema("Documents"));
  return prettier.format(schema, { parser: "json", printWidth: 100 });
}
