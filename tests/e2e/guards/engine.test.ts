import assert from "node:assert/strict";
import { join } from "node:path";

import { writeKubeconfig } from "../../../testbed/kubeconfig.ts";
import { installGateway } from "../mirroring/gateway.ts";
import { exportedService } from "../mirroring/objects.ts";
import { Stack } from "../mirroring/stack.ts";
import { create, createNamespaces, emptyWorld, type World } from "../mirroring/world.ts";
import { servicesIn, versionsIn } from "./live.ts";

const namespace = "guards-engine";
const expired = "a-token-that-north-does-not-know";

/** Exit codes and what stays in the state, which are the engine's. Each test goes on from the one before. */
describe("a guard in the real engine", function () {
  this.timeout("3m");

  let world: World;
  let stack: Stack;
  let kubeconfig: string;

  before(async function () {
    this.timeout("20m");
    world = await emptyWorld();
    const { west, east, north } = world.kube;
    for (const kube of [west, north]) await installGateway(kube);
    for (const kube of [east, north]) await createNamespaces(kube, [namespace]);
    for (const kube of [west, north]) await create(kube, exportedService(`${namespace}/web`));
    kubeconfig = join(world.bed.folder, `${namespace}.kubeconfig`);
    await write({ token: expired });
    const clusters = { west: {}, east: { kubeconfig }, north: { kubeconfig } };
    const links = [
      { source: "east", target: "west" },
      { source: "east", target: "north" },
    ];
    stack = await Stack.create(world, namespace, { clusters, links }, [expired]);
  });

  it("fails every run against a target that does not accept its token, and mirrors the other link", async () => {
    assert.notDeepEqual(await refused(), []);
    assert.deepEqual(await mirrors(), ["web-west"]);
    assert.deepEqual(await refused(), []);
  });

  it("carries on once the token is mended", async () => {
    await write({});
    await stack.up();
    assert.deepEqual(await mirrors(), ["web-north", "web-west"]);
    await stack.assertSettled();
  });

  it("refuses to destroy where the source's context leads to another cluster", async () => {
    await write({ east: "west" });
    const before = await versions();
    const { text } = await stack.destroy({ fails: true });
    assert.match(text, /leads to another cluster/);
    assert.deepEqual(await versions(), before);
  });

  it("has kept the state, and destroys what is there once the context leads back", async () => {
    await write({});
    await stack.assertSettled();
    await stack.destroy();
    assert.deepEqual(await mirrors(), []);
  });

  /** An update that fails with the right sentence; returns its writes. */
  async function refused(): Promise<readonly string[]> {
    const { text, writes } = await stack.up({ fails: true });
    assert.match(text, /cluster north rejects the credentials.* to (?:list|get) \w+/);
    return writes;
  }

  /** The contexts of the file, as they should be unless said otherwise. */
  async function write({ east = "east", token }: Contexts): Promise<void> {
    const { clusters } = world.bed;
    const { access } = clusters.north;
    await writeKubeconfig(kubeconfig, [
      { name: "east", access: clusters[east].access },
      { name: "north", access: { ...access, token: token ?? access.token } },
    ]);
  }

  function mirrors(): Promise<string[]> {
    return servicesIn(world.kube.east, namespace);
  }

  function versions() {
    const { west, east } = world.kube;
    return Promise.all([west, east].map((kube) => versionsIn(kube, namespace)));
  }
});

interface Contexts {
  /** Where the context `east` leads. */
  readonly east?: "east" | "west";
  /** Of the context `north`. */
  readonly token?: string;
}
