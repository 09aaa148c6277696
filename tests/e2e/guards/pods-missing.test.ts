import assert from "node:assert/strict";
import { join } from "node:path";

import { writeKubeconfig } from "../../../testbed/kubeconfig.ts";
import { Account, reading } from "../mirroring/account.ts";
import { worldWithGateway } from "../mirroring/gateway.ts";
import { Methods } from "../mirroring/methods.ts";
import type { World } from "../mirroring/world.ts";
import { Headless } from "./headless.ts";

const hosts = ["db-0", "db-1", "db-2"];
const links = [{ source: "east", target: "west", headless: true }];

/** When any pod that is missing now has been away for long. */
const later = () => new Date(Date.now() + 10 * 60_000);

for (const { title, namespace, readable } of [
  { title: "that has no StatefulSet", namespace: "pods-missing", readable: true },
  { title: "whose StatefulSet may not be read", namespace: "pods-unread", readable: false },
]) {
  describe(`a pod of a headless Service ${title}`, function () {
    this.timeout("3m");

    let world: World;
    let stack: Methods;
    let headless: Headless;
    let account: Account | undefined;
    let uids: Readonly<Record<string, string | undefined>>;

    before(async function () {
      this.timeout("20m");
      world = await worldWithGateway(namespace);
      const { west, east } = world.kube;
      headless = await Headless.create(west, east, namespace, hosts);
      let clusters: object = { west: {}, east: {} };
      if (!readable) {
        await headless.createStatefulSet({ replicas: 3 });
        account = await Account.create(world, "west", namespace, reading);
        const kubeconfig = join(world.bed.folder, `${namespace}.kubeconfig`);
        const access = { ...world.bed.clusters.west.access, token: account.token };
        await writeKubeconfig(kubeconfig, [{ name: "west", access }]);
        clusters = { west: { kubeconfig }, east: {} };
      }
      const secrets = account === undefined ? [] : [account.token];
      stack = await Methods.create(world, namespace, { clusters, links }, secrets);
    });
    beforeEach(async () => {
      stack.now = () => new Date();
      await headless.list(hosts);
      await stack.up();
      uids = await headless.mirrors();
      assert.deepEqual(Object.keys(uids), hosts);
    });
    after(() => account?.remove());

    it("keeps its mirror when it is missing for a moment, however many runs see it", async () => {
      await headless.list(["db-0", "db-2"]);
      for (let runs = 0; runs < 3; runs += 1) {
        assert.deepEqual((await stack.previewed()).goes, {});
        assert.match((await stack.up()).text, /db-1-west is away since \S+Z .* after \S+Z$/m);
      }
      assert.deepEqual(await headless.mirrors(), uids);
    });

    it("loses its mirror when it is missing for long, as a preview shows, whoever has seen it before", async () => {
      await headless.list(["db-0", "db-2"]);
      stack.now = later;
      assert.deepEqual(Object.keys((await stack.previewed()).goes), [`${namespace}/db-1-west`]);
      await stack.up();
      assert.deepEqual(Object.keys(await headless.mirrors()), ["db-0", "db-2"]);
      await stack.assertSettled();
    });

    it("loses its mirror after that time although its Service changes all the time", async () => {
      await headless.list(["db-0", "db-2"]);
      await stack.up();
      await headless.list(["db-2"]);
      await headless.list(["db-0", "db-2"]);
      stack.now = later;
      await stack.up();
      assert.deepEqual(Object.keys(await headless.mirrors()), ["db-0", "db-2"]);
    });

    it("keeps its mirror when it has come back in between", async () => {
      await headless.list(["db-0", "db-2"]);
      await stack.up();
      await headless.list(hosts);
      stack.now = later;
      await stack.up();
      assert.deepEqual(await headless.mirrors(), uids);
    });

    it("keeps its mirror when the Endpoints are absent, however long", async () => {
      await headless.removeEndpoints();
      stack.now = later;
      try {
        for (let runs = 0; runs < 3; runs += 1) await stack.up();
        assert.deepEqual(await headless.mirrors(), uids);
      } finally {
        await headless.createEndpoints(hosts);
      }
    });
  });
}
