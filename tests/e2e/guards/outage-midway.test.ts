import assert from "node:assert/strict";

import { emptyWorld, type World } from "../mirroring/world.ts";
import { servicesIn } from "./live.ts";
import { type Kept, type Outcome, run } from "./methods.ts";
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
    let kept: Kept | undefined;

    before(async function () {
      this.timeout("20m");
      world = await emptyWorld();
      link = await midway(world, namespace);
      await link.exportService("web");
    });
    afterEach(() => world.bed.clusters[lost].restore());

    it("fails a first run, and the next one makes the mirrors", async () => {
      const cut = await run(link.question, undefined, () => world.bed.clusters[lost].cut());
      assertFailed(cut);
      await converges(cut, ["web-west"]);
    });

    it("fails an update, and the next one makes the mirrors", async () => {
      await link.exportService("more");
      const cut = await run(link.question, kept, () => world.bed.clusters[lost].cut());
      assertFailed(cut);
      await converges(cut, ["more-west", "web-west"]);
    });

    it("fails no run whose plan says already that it is out of reach", async () => {
      await link.exportService("last");
      await world.bed.clusters[lost].cut();
      const outage = await run(link.question, kept, nothing);
      assert.equal(outage.failure, undefined);
      await converges(outage, ["last-west", "more-west", "web-west"]);
    });

    function assertFailed({ failure }: Outcome): void {
      assert.match(failure ?? "the run ended well", new RegExp(`cluster ${lost} can't be reached`));
    }

    async function converges(before: Outcome, services: readonly string[]): Promise<void> {
      await world.bed.clusters[lost].restore();
      const { kept: after, failure } = await run(link.question, before.kept, nothing);
      assert.equal(failure, undefined);
      assert.deepEqual(await servicesIn(world.kube.east, namespace), services);
      kept = after;
    }
  });
}
