import assert from "node:assert/strict";

import { worldWithGateway } from "../mirroring/gateway.ts";
import { Methods } from "../mirroring/methods.ts";
import { exportedHeadless, exportedService, service } from "../mirroring/objects.ts";
import { create, type World } from "../mirroring/world.ts";
import { uidsIn } from "./live.ts";

const member = { "mirror.linkerd.io/federated": "member" };
const config = {
  clusters: { west: {}, east: {} },
  links: [{ source: "east", target: "west", headless: true }],
};

for (const order of ["second", "first"] as const) {
  const namespace = `two-stacks-${order}`;

  describe(`two stacks on one link, of which the ${order} is destroyed before the other`, function () {
    this.timeout("3m");

    let world: World;
    let stacks: Readonly<Record<"first" | "second", Methods>>;
    let uids: Readonly<Record<string, string | undefined>>;

    before(async function () {
      this.timeout("20m");
      world = await worldWithGateway(namespace);
      const { west } = world.kube;
      await create(west, [
        ...exportedService(`${namespace}/web`),
        ...exportedHeadless(`${namespace}/db`, ["db-0", "db-1"]),
        service(`${namespace}/api`, { labels: member }),
      ]);
      stacks = {
        first: await Methods.create(world, `${namespace}-first`, config),
        second: await Methods.create(world, `${namespace}-second`, config),
      };
      await stacks.first.up();
      uids = await uidsIn(world.kube.east, namespace);
      assert.equal(Object.keys(uids).length, 9);
    });

    it("the second adopts the mirrors of the first, and says that another stack has them", async () => {
      const { text } = await stacks.second.up();
      assert.deepEqual(await uidsIn(world.kube.east, namespace), uids);
      assert.match(text, /another stack/i);
    });

    it(`the ${order} leaves the mirrors to the other when it is destroyed, and says so`, async () => {
      const { text } = await stacks[order].destroy();
      assert.deepEqual(await uidsIn(world.kube.east, namespace), uids);
      assert.match(text, /another stack/i);
      if (order === "first") await stacks.second.assertSettled();
      await stacks[order === "first" ? "second" : "first"].destroy();
      assert.deepEqual(await uidsIn(world.kube.east, namespace), {});
    });
  });
}
