import { deepEqual, equal } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { roleOf } from "../../../components/charts/values.ts";
import type { MeshConfig } from "../../../config/mesh.ts";
import { checked, configOf, folder, keysIn } from "./files.ts";

const textAt = (name: string): string => readFileSync(join(folder, "..", name), "utf8");

/** `east <- west headless`, `west <- north flat`. */
function linksOf({ links }: MeshConfig): string[] {
  return links.map(({ spec: { source, target, headless, gateway } }) =>
    [source, "<-", target, ...(headless ? ["headless"] : []), ...(gateway ? [] : ["flat"])].join(
      " ",
    ),
  );
}

describe("examples: Pulumi.dev.yaml", () => {
  const dev = checked(keysIn(textAt("Pulumi.dev.yaml")));

  it("manages everything, and mirrors by itself", () => {
    equal(dev.manage, "all");
    deepEqual([...new Set(dev.links.map(({ mirroring }) => mirroring))], ["pulumi"]);
  });

  it("has the links of both walk-throughs", () => {
    deepEqual(
      linksOf(dev),
      (["statefulset", "federated"] as const).flatMap((example) => linksOf(configOf(example))),
    );
  });

  it("has the clusters that examples/federated/create.sh creates", () => {
    const clustersIn = ({ clusters }: MeshConfig) =>
      [...clusters.values()].map(({ access, apiServer }) => ({ access, apiServer }));
    deepEqual(clustersIn(dev), clustersIn(configOf("federated")));
  });

  it("puts a gateway where one link needs it", () => {
    const having = [...dev.clusters.keys()].filter(
      (name) => roleOf(name, dev).gateway !== undefined,
    );
    deepEqual(having, ["west"]);
  });
});

describe("examples: the stack file in README.md", () => {
  it("mirrors between clusters that are linked already", () => {
    const [, stack = ""] =
      /```yaml\n# Pulumi\.prod\.yaml\n([^]*?)```/.exec(textAt("README.md")) ?? [];
    const config = checked(keysIn(stack));
    equal(config.manage, "mirrors");
    deepEqual(linksOf(config), ["east <- west headless"]);
  });
});
