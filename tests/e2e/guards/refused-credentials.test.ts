import assert from "node:assert/strict";
import { join } from "node:path";

import { writeKubeconfig } from "../../../testbed/kubeconfig.ts";
import { Account, reading, readingStatefulSets, type Rule } from "../mirroring/account.ts";
import { installGateway } from "../mirroring/gateway.ts";
import { Methods } from "../mirroring/methods.ts";
import { exportedService } from "../mirroring/objects.ts";
import { create, createNamespaces, emptyWorld, type World } from "../mirroring/world.ts";
import { servicesIn } from "./live.ts";

const links = [
  { source: "east", target: "west" },
  { source: "east", target: "north" },
];
const readingLinks: Rule = {
  apiGroups: ["multicluster.linkerd.io"],
  resources: ["links"],
  verbs: ["get", "list"],
};
const whole = [...reading, readingStatefulSets, readingLinks];
const blind = [
  { apiGroups: [""], resources: ["namespaces", "endpoints"], verbs: ["get", "list"] },
  readingStatefulSets,
  readingLinks,
];

for (const { title, namespace, sentence } of [
  {
    title: "a target that does not accept its token any more",
    namespace: "refused-unauthorized",
    sentence: /cluster north rejects the credentials.* to (?:list|get) \w+/,
  },
  {
    title: "a target that does not let its Services be listed",
    namespace: "refused-forbidden",
    sentence: /cluster north .*grant list on services/,
  },
]) {
  describe(title, function () {
    this.timeout("3m");

    let world: World;
    let stack: Methods;
    let good: Account;
    let bad: Account;
    let kubeconfig: string;

    before(async function () {
      this.timeout("20m");
      world = await emptyWorld();
      const { west, east, north } = world.kube;
      for (const kube of [west, north]) await installGateway(kube);
      await createNamespaces(east, [namespace]);
      for (const kube of [west, north]) await create(kube, exportedService(`${namespace}/web`));
      good = await Account.create(world, "north", `${namespace}-good`, whole);
      bad = await Account.create(world, "north", `${namespace}-bad`, blind);
      kubeconfig = join(world.bed.folder, `${namespace}.kubeconfig`);
      const clusters = { west: {}, east: {}, north: { kubeconfig } };
      const secrets = [good.token, bad.token, expired];
      await use(badToken());
      stack = await Methods.create(world, namespace, { clusters, links }, secrets);
    });
    after(async () => {
      for (const account of [good, bad]) await account.remove();
    });

    it("fails a first run, which makes the mirrors of the other link", async () => {
      await assertFails();
      assert.deepEqual(await mirrors(), ["web-west"]);
    });

    it("is mirrored in the run that can read it", async () => {
      await use(good.token);
      await stack.up();
      assert.deepEqual(await mirrors(), ["web-north", "web-west"]);
      await stack.assertSettled();
    });

    it("keeps its mirrors in a run that fails, and the other link is brought up to date", async () => {
      await use(badToken());
      const { west, north } = world.kube;
      for (const kube of [west, north]) await create(kube, exportedService(`${namespace}/more`));
      await assertFails();
      assert.deepEqual(await mirrors(), ["more-west", "web-north", "web-west"]);
    });

    it("fails every run until it is mended, also where nothing else is to do", async () => {
      for (let runs = 0; runs < 2; runs += 1)
        assert.deepEqual((await stack.up({ fails: true })).writes, []);
      await assertFails();
      assert.deepEqual(await mirrors(), ["more-west", "web-north", "web-west"]);
    });

    it("is mirrored again once it is mended", async () => {
      await use(good.token);
      await stack.up();
      assert.deepEqual(await mirrors(), ["more-north", "more-west", "web-north", "web-west"]);
      await stack.assertSettled();
    });

    async function assertFails(): Promise<void> {
      const { text } = await stack.up({ fails: true });
      assert.match(text, sentence);
      assert.doesNotMatch(text, /^\s+at \S+ \(/m);
    }

    function badToken(): string {
      return namespace === "refused-forbidden" ? bad.token : expired;
    }

    async function use(token: string): Promise<void> {
      const access = { ...world.bed.clusters.north.access, token };
      await writeKubeconfig(kubeconfig, [{ name: "north", access }]);
    }

    function mirrors(): Promise<string[]> {
      return servicesIn(world.kube.east, namespace);
    }
  });
}

const expired = "a-token-that-north-does-not-know";
