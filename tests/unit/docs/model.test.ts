import { deepEqual, ok } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  estimateOf,
  type MeshShape,
  mirrorsIn,
  readsOfPhase,
  readsOfServer,
  servicesIn,
  servicesRead,
  stacksOf,
} from "../../../testbed/bench/model.ts";

/** The tables of docs/model.md that follow from its formulae. */

const page = readFileSync(join(import.meta.dirname, "../../../docs/model.md"), "utf8");

/** 100 clusters with 5,000 Services each; mirrors lead through gateways. */
function fleet(targets: number, exported: number): MeshShape {
  const own = { namespaces: 100, services: 5_000, exported, objects: 2 } as const;
  return { clusters: 100, targets, ...own, endpoints: own.services + targets * exported };
}

const shapes: Readonly<Record<string, MeshShape>> = {
  "1 target, 5,000 exports": fleet(1, 5_000),
  "10 targets, 500 exports": fleet(10, 500),
  "99 targets, 50 exports": fleet(99, 50),
  "99 targets, 5,000 exports": fleet(99, 5_000),
};

const stacks = ["one stack", "a stack each"] as const;

/** The cells of the row that begins so, in the table under that heading. */
function cellsOf(heading: string, first: string): readonly string[] {
  const [, section = ""] = page.split(`\n## ${heading}\n`);
  const lines = section.split("\n## ")[0]?.split("\n") ?? [];
  const rows = lines.map((line) => line.split("|").map((cell) => cell.trim()));
  const row = rows.find(([, name]) => name === first);
  ok(row, `docs/model.md has no row "${first}" under "${heading}"`);
  return row.slice(2, -1);
}

/** Runs of each stack, one every five minutes. */
const perDay = 288;

/** To two digits: no estimate is better. */
const rounded = (number: number): string => shown(Number(number.toPrecision(2)));

function inBytes(bytes: number): string {
  for (const [unit, size] of [
    ["GB", 1e9],
    ["MB", 1e6],
  ] as const)
    if (bytes >= size) return `${rounded(bytes / size)} ${unit}`;
  return `${rounded(bytes / 1e3)} kB`;
}

const shown = (number: number): string => number.toLocaleString("en");

describe("docs/model.md: the tables say what the formulae do", () => {
  for (const [name, shape] of Object.entries(shapes)) {
    it(`requests: ${name}`, () => {
      deepEqual(cellsOf("Requests", name), [
        ...[mirrorsIn(shape), servicesIn(shape)].map(shown),
        ...stacks.map((stack) => shown(readsOfPhase(shape, stack) * stacksOf(shape, stack))),
        shown(readsOfPhase(shape, "a stack each")),
        ...stacks.map((stack) => shown(readsOfServer(shape, stack))),
      ]);
    });

    it(`memory and processor time: ${name}`, () => {
      deepEqual(
        cellsOf("Memory and processor time", name),
        stacks.flatMap((stack) => [
          shown(servicesRead(shape, stack)),
          inBytes(estimateOf("memory", shape, stack)),
          `${rounded(estimateOf("processor", shape, stack))} s`,
        ]),
      );
    });

    it(`state and backend: ${name}`, () => {
      deepEqual(
        cellsOf("State and backend", name),
        [
          estimateOf("state", shape, "one stack"),
          ...(["state", "growth", "frugalGrowth"] as const).map((quantity) =>
            estimateOf(quantity, shape, "a stack each"),
          ),
          perDay * estimateOf("growth", shape, "a stack each") * shape.clusters,
          perDay * estimateOf("frugalGrowth", shape, "a stack each") * shape.clusters,
        ].map(inBytes),
      );
    });
  }
});
