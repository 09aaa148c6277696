import { deepEqual, equal, ok } from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { roleOf } from "../../../components/charts/values.ts";
import type { MeshConfig } from "../../../config/mesh.ts";
import { checked, configOf, type Example, examples, folder, keysIn, text } from "./files.ts";

/** `east <- west headless`, `west <- north flat`. */
function linksOf({ links }: MeshConfig): string[] {
  return links.map(({ spec: { source, target, headless, gateway } }) =>
    [source, "<-", target, ...(headless ? ["headless"] : []), ...(gateway ? [] : ["flat"])].join(
      " ",
    ),
  );
}

function gatewaysOf(config: MeshConfig): string[] {
  return [...config.clusters.keys()].filter((name) => roleOf(name, config).gateway !== undefined);
}

const expected = {
  statefulset: { links: ["east <- west headless"], gateways: ["west"] },
  federated: { links: ["west <- east flat", "west <- north flat"], gateways: [] },
} as const;

describe("examples: stack files", () => {
  for (const example of examples)
    it(`${example} has its links, and gateways where they are needed`, () => {
      const config = configOf(example);
      equal(config.manage, "all");
      deepEqual({ links: linksOf(config), gateways: gatewaysOf(config) }, expected[example]);
    });

  it("Pulumi.dev.yaml has the links of both walk-throughs", () => {
    const dev = checked(keysIn(text("../Pulumi.dev.yaml")));
    equal(dev.manage, "all");
    deepEqual(linksOf(dev), [...expected.statefulset.links, ...expected.federated.links]);
    deepEqual(gatewaysOf(dev), ["west"]);
  });

  it("the one in README.md mirrors between clusters that are linked already", () => {
    const block = /```yaml\n# Pulumi\.prod\.yaml\n([^]*?)```/.exec(text("../README.md"));
    const config = checked(keysIn(block?.[1] ?? ""));
    equal(config.manage, "mirrors");
    deepEqual(linksOf(config), ["east <- west headless"]);
  });
});

/** Everything in the sh blocks of the example's README. */
function commandsOf(example: Example): string {
  const blocks = text(`${example}/README.md`).matchAll(/```sh\n([^]*?)```/g);
  return [...blocks].map(([, block]) => block).join("\n");
}

describe("examples: commands of READMEs", () => {
  for (const example of examples)
    it(`${example}: are for files that exist`, () => {
      const paths = [...commandsOf(example).matchAll(/examples\/[\w./-]+/g)].map(([path]) => path);
      ok(paths.length > 0);
      deepEqual(
        paths.filter((path) => !existsSync(join(folder, "..", path))),
        [],
      );
    });
});
