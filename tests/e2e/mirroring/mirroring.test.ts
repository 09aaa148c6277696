import assert from "node:assert/strict";

import { installGateway } from "./gateway.ts";
import { nothing } from "./mirrors.ts";
import { type Previewed, takenOver, withoutAddresses } from "../../simulation/preview.ts";
import { assertOutcome, type Scenario } from "./scenario.ts";
import { gatewayScenarios } from "./scenarios/gateway.ts";
import { goingScenarios } from "./scenarios/going.ts";
import { headlessShapeScenarios } from "./scenarios/headless-shapes.ts";
import { headlessScenarios } from "./scenarios/headless.ts";
import { ownershipScenarios } from "./scenarios/ownership.ts";
import { shapeScenarios } from "./scenarios/shapes.ts";
import { Stack } from "./stack.ts";
import { contentsOf } from "./view.ts";
import { create, createNamespaces, each, emptyWorld, type World } from "./world.ts";

const scenarios: readonly Scenario[] = [
  ...gatewayScenarios,
  ...shapeScenarios,
  ...headlessScenarios,
  ...headlessShapeScenarios,
  ...ownershipScenarios,
  ...goingScenarios,
];

describe("one link and all its scenarios in the same runs of the real engine", function () {
  this.timeout("2m");

  let world: World;
  let stack: Stack;
  let previewed: Previewed;
  let shown: string;

  before("starts the clusters and fills them", async function () {
    this.timeout("20m");
    world = await emptyWorld();
    await installGateway(world.kube.west);
    await prepare(world);
    stack = await Stack.create(world, "mirroring", {
      clusters: { west: {}, east: {} },
      links: [
        {
          source: "east",
          target: "west",
          headless: true,
          excludedLabels: ["evil.linkerd/*", "evil"],
          excludedAnnotations: ["evil.linkerd/*", "evil"],
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
        return assertOutcome(world, namespace, { ...run, changes }, previewed);
      });
    it("leaves nothing to do", () => stack.assertSettled());
  });

  describe("the next run, after changes of all sorts", () => {
    before(async () => {
      await each(scenarios, ({ then }) => then?.change(world) ?? Promise.resolve());
      // Without what aligns its columns.
      shown = withoutAddresses((await stack.preview()).text).replaceAll(/ +:/g, ":");
      ({ previewed } = await stack.upAsPreviewed());
    });
    it("shows each field that changes on a plain preview", () => {
      for (const { then } of scenarios)
        for (const fields of Object.values(then?.changes ?? {}))
          for (const [field, text] of Object.entries(fields))
            assert.ok(shown.includes(`+ ${field}: ${JSON.stringify(text)}`), shown);
    });
    for (const { title, namespace, run, then } of scenarios)
      it(then?.title ?? `${title}; it stays so`, () =>
        assertOutcome(
          world,
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
        assert.deepEqual(await contentsOf(world, namespace), remains);
      });
  });
});

async function prepare(world: World): Promise<void> {
  const { kube } = world;
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
  await each(scenarios, ({ prepare }) => prepare?.(world) ?? Promise.resolve());
}
