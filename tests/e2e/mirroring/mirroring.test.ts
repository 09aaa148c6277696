import assert from "node:assert/strict";

import type { Previewed } from "../../simulation/preview.ts";
import { Methods } from "./methods.ts";
import { type Scenario, scenarios } from "./scenarios.ts";
import { bedWithGateway, create, each, type SharedBed } from "./shared-bed.ts";
import { contentsOf } from "./view.ts";

describe("one link and all its scenarios in the same runs on real API servers", function () {
  this.timeout("20m");

  let shared: SharedBed;
  let stack: Methods;
  let previewed: Previewed;

  before("starts the clusters and fills them", async () => {
    shared = await bedWithGateway(...scenarios.map(({ namespace }) => namespace));
    const { west, east } = shared.kube;
    const all = (part: "target" | "source") => scenarios.flatMap((each) => each[part] ?? []);
    await Promise.all([create(west, all("target")), create(east, all("source"))]);
    await each(scenarios, ({ prepare }) => prepare?.(shared) ?? Promise.resolve());
    const link = { source: "east", target: "west", headless: true };
    stack = new Methods(shared, "mirroring", {
      clusters: { west: {}, east: {} },
      links: [{ ...link, excludedLabels: ["team"], maxDeletions: "100%" }],
    });
  });

  describe("the first run", () => {
    before(async () => {
      ({ previewed } = await stack.upAsPreviewed());
    });
    for (const scenario of scenarios)
      it(scenario.title, () => assertGives(scenario, scenario.gives));
  });

  describe("the next run, after changes of all sorts", () => {
    before(async () => {
      await each(scenarios, ({ then }) => then.change(shared));
      ({ previewed } = await stack.upAsPreviewed());
    });
    for (const scenario of scenarios)
      it(scenario.then.title, () => assertGives(scenario, scenario.then.gives));
    it("leaves nothing to do", () => stack.assertSettled());
  });

  describe("destroy takes away the mirrors, and nothing else", () => {
    before(() => stack.destroy());
    for (const { namespace, remains = [], title } of scenarios)
      it(title, async () => {
        assert.deepEqual(await contentsOf(shared.kube.east, namespace), remains);
      });
  });

  async function assertGives({ namespace }: Scenario, expected: readonly string[]): Promise<void> {
    const skipped = Object.entries(previewed.skipped)
      .filter(([key]) => key.startsWith(`${namespace}/`))
      .map(([key, text]) => `${key} is not mirrored: ${text.replace(/:.*/s, "")}`);
    const contents = await contentsOf(shared.kube.east, namespace);
    assert.deepEqual([...contents, ...skipped], expected);
  }
});
