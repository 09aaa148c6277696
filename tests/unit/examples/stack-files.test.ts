import { deepEqual, equal, ok } from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import * as yaml from "yaml";
import { checked, examples, folder, text } from "./files.ts";

/** tests/components/mesh-stacks.test.ts makes the meshes of the stack files. */
describe("examples: what READMEs say", () => {
  it("the stack file in README.md mirrors between clusters that are linked already", () => {
    const block = /```yaml\n# Pulumi\.prod\.yaml\n([^]*?)```/.exec(text("../README.md"));
    const { manage, links } = checked(yaml.parse(block?.[1] ?? ""));
    equal(manage, "mirrors");
    deepEqual(
      links.map(({ spec: { source, target, headless } }) => ({ source, target, headless })),
      [{ source: "east", target: "west", headless: true }],
    );
  });

  for (const example of examples)
    it(`the commands of ${example} are for files that exist`, () => {
      const blocks = text(`${example}/README.md`).match(/```sh\n[^]*?```/g) ?? [];
      const paths = blocks.join("\n").match(/examples\/[\w./-]+/g) ?? [];
      ok(paths.length > 0);
      deepEqual(
        paths.filter((path) => !existsSync(join(folder, "..", path))),
        [],
      );
    });
});
