import { deepEqual, equal, ok } from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import * as yaml from "yaml";
import * as z from "zod";
import { roleOf } from "../../../components/charts/values.ts";
import type { MeshConfig } from "../../../config/mesh.ts";
import {
  checked,
  configOf,
  type Example,
  examples,
  folder,
  keysIn,
  rawConfig,
  text,
} from "./files.ts";

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

  /** The links after each command that changes the config; a link takes two. */
  function linksAlong(example: Example): string[][] {
    const raw = new yaml.Document(rawConfig(example));
    const sets = commandsOf(example).matchAll(
      /^pulumi config set (?:--path )?'?([\w.[\]]+)'? (\S+)$/gm,
    );
    return [...sets].map(([, path = "", word = ""]) => {
      const keys = (path.match(/\w+/g) ?? []).map((key) => (/^\d+$/.test(key) ? Number(key) : key));
      raw.setIn(keys, /^(true|false)$/.test(word) ? word === "true" : word);
      try {
        return linksOf(checked(z.record(z.string(), z.unknown()).parse(raw.toJS())));
      } catch {
        return [];
      }
    });
  }

  it("statefulset: the mirror is headless, then not, then headless again", () => {
    deepEqual(linksAlong("statefulset"), [["east <- west"], ["east <- west headless"]]);
  });

  it("federated: a fourth cluster is linked from west, then all are with all", () => {
    const [fourth, mesh] = linksAlong("federated").slice(-2);
    deepEqual(fourth, [...expected.federated.links, "west <- south flat"]);
    equal(mesh?.length, 12);
  });
});
