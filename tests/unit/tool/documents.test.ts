import { equal } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { outputSchema, outputSchemaFile } from "../../../bin/output-schema.ts";

describe("the JSON that commands print", () => {
  it("has a schema, as npm run docs writes it", async () => {
    const file = new URL(`../../../${outputSchemaFile}`, import.meta.url);
    equal(readFileSync(file, "utf8"), await outputSchema(), "run npm run docs");
  });
});
