import assert from "node:assert/strict";

import { installGateway } from "./gateway.ts";
import { nothing } from "./mirrors.ts";
import { type Previewed, takenOver, withoutAddresses } from "../../simulation/preview.ts";
import { assertOutcome } from "./scenario.ts";
import { scenarios } from "./scenarios.ts";
import { Stack } from "./stack.ts";
import { contentsOf } from "./view.ts";
import { create, createNamespaces, each, emptyBed, type SharedBed } from "./shared-bed.ts";

describe("one link and all its scenarios in the same runs of the real engine", function () {
  this.timeout("20m");

  let shared: SharedBed;
  let stack: Stack;
  let previewed: Previewed;
  let shown: string;

  before("starts the clusters and fills them", async () => {
    shared = await emptyBed();
    await installGateway(shared.kube.west);
    await prepare(shared);
    stack = await Stack.create(shared, "mirroring", {
      clusters: { west: {}, east: {} },
      links: [
        {
          source: "east",
          target: "west",
          headless: true,
          excludedLabels: ["team"],
          maxDeletions: "100%",
        },
      ],
    });
  });

  describe("the first run", () => {
    before(async () => {
      ({ previewed } = await stack.upAsPreviewed());
    });
    for (const { title, namespace, run, adopted = [] } of scenarios)
      it(title, () => {
        const there = Object.fromEntries(adopted.map((key) => [key, takenOver]));
        const changes = { ...there, ...run.changes };
        return assertOutcome(shared, namespace, { ...run, changes }, previewed);
      });
  });

  describe("the next run, after changes of all sorts", () => {
    before(async () => {
      await each(scenarios, ({ then }) => then?.change(shared) ?? Promise.resolve());
      // Without what aligns its columns.
      shown = withoutAddresses((await stack.preview()).text).replaceAll(/ +:/g, ":");
      ({ previewed } = await stack.upAsPreviewed());
    });
    it("shows each field that changes on a plain preview", () => {
      for (const { then } of scenarios)
        for (const fields of Object.values(then?.changes ?? {}))
          for (const [field, text] of Object.entries(fields))
            // It takes the place of what the run before has shown of the same field.
            assert.match(
              shown,
              new RegExp(`${escaped(field)}: (".*" => )?${escaped(JSON.stringify(text))}`),
            );
    });
    for (const { title, namespace, run, then } of scenarios)
      it(then?.title ?? `${title}; it stays so`, () =>
        assertOutcome(
          shared,
          namespace,
          then ?? { contents: run.contents, skipped: run.skipped ?? {} },
          previewed,
        ),
      );
    it("leaves nothing to do", () => stack.assertSettled());
  });

  describe("destroy takes away the mirrors, and nothing else", () => {
    before(() => stack.destroy());
    for (const { namespace, remains = nothing, title } of scenarios)
      it(title, async () => {
        assert.deepEqual(await contentsOf(shared, namespace), remains);
      });
  });
});

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

async function prepare(shared: SharedBed): Promise<void> {
  const { kube } = shared;
  await createNamespaces(
    kube.east,
    scenarios.filter(({ missing }) => missing !== true).map(({ namespace }) => namespace),
  );
  await Promise.all([
    create(
      kube.west,
      scenarios.flatMap(({ target = [] }) => target),
    ),
    create(
      kube.east,
      scenarios.flatMap(({ source = [] }) => source),
    ),
  ]);
  await each(scenarios, ({ prepare }) => prepare?.(shared) ?? Promise.resolve());
}
