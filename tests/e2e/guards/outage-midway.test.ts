import assert from "node:assert/strict";

import type { Methods } from "../mirroring/methods.ts";
import { emptyWorld, type World } from "../mirroring/world.ts";
import { servicesIn } from "./live.ts";
import { type Midway, midway } from "./midway.ts";

const nothing = () => Promise.resolve();

for (const [role, lost] of [
  ["target", "west"],
  ["source", "east"],
] as const) {
  const namespace = `outage-midway-${role}`;

  describe(`a ${role} that goes down between the plan and the writes`, function () {
    this.timeout("3m");

    let world: World;
    let link: Midway;
    let stack: Methods;

    before(async function () {
      this.timeout("20m");
      world = await emptyWorld();
      link = await midway(world, namespace);
      await link.exportService("web");
      stack = await link.newStack();
    });
    afterEach(() => world.bed.clusters[lost].restore());

    it("fails a first run, and the next one makes the mirrors", async () => {
      await assertCutOff();
      await converges(["web-west"]);
    });

    it("fails an update, and the next one makes the mirrors", async () => {
      await link.exportService("more");
      await assertCutOff();
      await converges(["more-west", "web-west"]);
    });

    it("fails no run whose plan says already that it is out of reach", async () => {
      await link.exportService("last");
      await world.bed.clusters[lost].cut();
      await stack.upWith(nothing);
      await converges(["last-west", "more-west", "web-west"]);
    });

    async function assertCutOff(): Promise<void> {
      const { failure } = await stack.upWith(() => world.bed.clusters[lost].cut(), { fails: true });
      assert.match(failure, new RegExp(`cluster ${lost} can't be reached`));
    }

    async function converges(services: readonly string[]): Promise<void> {
      await world.bed.clusters[lost].restore();
      await stack.up();
      assert.deepEqual(await servicesIn(world.kube.east, namespace), services);
    }
  });
}
