import assert from "node:assert/strict";
import { join } from "node:path";

import type { AuditedRequest } from "../../../testbed/bed.ts";
import { writeKubeconfig } from "../../../testbed/kubeconfig.ts";
import { installGateway } from "./gateway.ts";
import { servicesIn, versionsIn } from "./live.ts";
import { exportedService } from "./objects.ts";
import { Stack } from "./stack.ts";
import { create, createNamespaces, emptyBed, type SharedBed } from "./shared-bed.ts";

const namespace = "engine";
const expired = "a-token-that-north-does-not-know";
const link = { source: "east", target: "west" };
const toNorth = { source: "east", target: "north" };

/** What comes of a run as a whole, which is the engine's to decide. Each test goes on from the one before. */
describe("a stack in the real engine", function () {
  this.timeout("20m");

  let shared: SharedBed;
  let stack: Stack;
  let kubeconfig: string;
  let clusters: object;

  before(async () => {
    shared = await emptyBed();
    const { west, east, north } = shared.kube;
    for (const kube of [west, north]) await installGateway(kube);
    for (const kube of [east, north]) await createNamespaces(kube, [namespace]);
    for (const kube of [west, north]) await create(kube, exportedService(`${namespace}/web`));
    kubeconfig = join(shared.bed.folder, `${namespace}.kubeconfig`);
    clusters = { west: {}, east: { kubeconfig }, north: { kubeconfig } };
    await write({ token: expired });
    const config = { clusters, links: [link, toNorth] };
    stack = await Stack.create(shared, namespace, config, [expired]);
  });

  it("names all mistakes in the config at once, and prints no stack trace", async () => {
    const mistaken = { source: "east", target: "wset", headles: true, readiness: "maybe" };
    await stack.configure({ clusters, links: [mistaken, link, link] });
    const { text } = await stack.up({ fails: true });
    for (const sentence of [
      /linkerd-multicluster:links\[0\]\.target is "wset"; it must be one of/,
      /linkerd-multicluster:links\[0\]\.headles /,
      /linkerd-multicluster:links\[0\]\.readiness is "maybe"; it must be ignore or follow/,
      /linkerd-multicluster:links\[2\] links source "east" to target "west" again/,
    ])
      assert.match(text, sentence);
    assert.deepEqual(await mirrors(), []);
    await stack.configure({ clusters, links: [link, toNorth] });
  });

  it("fails against a target that does not accept its token, and mirrors the other link", async () => {
    const { text } = await stack.up({ fails: true });
    assert.match(text, /cluster north rejects the credentials.* to (?:list|get) \w+/);
    assert.deepEqual(await mirrors(), ["web-west"]);
  });

  it("carries on once the token is mended, and lists each cluster once", async () => {
    await write({});
    const { requests } = await stack.up();
    assert.deepEqual(await mirrors(), ["web-north", "web-west"]);
    // One process plans and writes, and all resources in it share what it has read.
    const isList = ({ verb, resource }: AuditedRequest) =>
      `${verb} ${resource}` === "list services";
    for (const cluster of [requests.west, requests.east])
      assert.equal(cluster.filter(isList).length, 1);
  });

  it("ends well while a target is out of reach, and keeps what it knows of it", async () => {
    await shared.bed.clusters.west.cut();
    assert.match((await stack.up()).text, /cluster west can't be reached/);
    await stack.refresh();
    assert.deepEqual(await mirrors(), ["web-north", "web-west"]);
  });

  it("fails then where the link says unreachable: fail, in a sentence", async () => {
    await stack.configure({ clusters, links: [{ ...link, unreachable: "fail" }, toNorth] });
    const { text } = await stack.up({ fails: true });
    assert.match(text, /cluster west can't be reached at https:\S+ to list \S+: the connection/);
    assert.deepEqual(await mirrors(), ["web-north", "web-west"]);
    await shared.bed.clusters.west.restore();
  });

  it("refuses to destroy where the source's context leads to another cluster", async () => {
    await write({ east: "west" });
    const before = await versions();
    const { text } = await stack.destroy({ fails: true });
    assert.match(text, /leads to another cluster/);
    assert.deepEqual(await versions(), before);
    await write({});
  });

  it("fails to destroy what is in a source out of reach, and does so later", async () => {
    await shared.bed.clusters.east.cut();
    assert.match((await stack.destroy({ fails: true })).text, /cluster east can't be reached/);
    await shared.bed.clusters.east.restore();
    await stack.destroy();
    assert.deepEqual(await mirrors(), []);
  });

  /** The contexts of the file, as they should be unless said otherwise. */
  async function write({ east = "east", token }: Contexts): Promise<void> {
    const { clusters } = shared.bed;
    const { access } = clusters.north;
    await writeKubeconfig(kubeconfig, [
      { name: "east", access: clusters[east].access },
      { name: "north", access: { ...access, token: token ?? access.token } },
    ]);
  }

  function mirrors(): Promise<string[]> {
    return servicesIn(shared.kube.east, namespace);
  }

  function versions() {
    const { west, east } = shared.kube;
    return Promise.all([west, east].map((kube) => versionsIn(kube, namespace)));
  }
});

interface Contexts {
  /** Where the context `east` leads. */
  readonly east?: "east" | "west";
  /** Of the context `north`. */
  readonly token?: string;
}
