import { deepEqual, equal } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import * as yaml from "yaml";
import * as z from "zod";
import { stackConfig } from "../../config/stack.ts";
import { meshOf, types } from "./mocked-mesh.ts";

const root = join(import.meta.dirname, "..", "..");
const stackFile = z.object({ config: z.record(z.string(), z.unknown()) });

/** The stack file of each, with its links and how many objects it has through a cluster's provider. */
const rows: readonly (readonly [file: string, links: readonly string[], objects: number])[] = [
  // Six for each cluster and seven for each link.
  ["Pulumi.dev.yaml", ["east/west", "west/east", "west/north"], 3 * 6 + 3 * 7],
  ["examples/statefulset/Pulumi.statefulset.yaml", ["east/west"], 2 * 6 + 7],
  ["examples/federated/Pulumi.federated.yaml", ["west/east", "west/north"], 3 * 6 + 2 * 7],
];

describe("Mesh of the stack file", () => {
  afterEach(() => {
    pulumi.runtime.setAllConfig({});
  });

  for (const [file, links, objects] of rows)
    it(`${file} is built without a word`, async () => {
      const mesh = await meshOf(configIn(file));
      deepEqual(mesh.said, []);
      deepEqual(mesh.names(types.link), links);
      const sources = new Set(links.map((link) => link.split("/")[0]));
      deepEqual(mesh.names(types.mirrors), [...sources]);
      const made = mesh.resources.filter(({ type }) => type.startsWith("kubernetes:"));
      equal(made.length, objects);
      equal(
        made.every(({ provider }) => provider !== ""),
        true,
      );
    });
});

/** As the engine hands it over: text as it is, and all else as JSON. */
function configIn(file: string) {
  const { config } = stackFile.parse(yaml.parse(readFileSync(join(root, file), "utf8")));
  const texts = Object.entries(config).map(([key, value]) => {
    return [key, typeof value === "string" ? value : JSON.stringify(value)] as const;
  });
  pulumi.runtime.setAllConfig(Object.fromEntries(texts));
  return stackConfig();
}
