import assert from "node:assert/strict";
import { join } from "node:path";

import type { AuditedRequest } from "../../bed/bed.ts";
import { writeKubeconfig } from "../../bed/kubeconfig.ts";
import { exportedHeadless, exportedService, member, service } from "./objects.ts";
import {
  bedWithGateway,
  create,
  installGateway,
  patch,
  remove,
  type SharedBed,
} from "./shared-bed.ts";
import { Stack } from "./stack.ts";
import { servicesIn, uidsIn } from "./view.ts";

const namespace = "engine";
const expired = "a-token-that-north-does-not-know";
const link = { source: "east", target: "west", headless: true };
const toNorth = { source: "east", target: "north", names: "{target}-{service}" };
const ofWest = ["api-federated", "db-0-west", "db-1-west", "db-west", "web-west"];
const all = [...ofWest, "north-web"].sort();
const foreign = ["a-west", "b-west"];

/** Tests what only the engine decides about a run as a whole. Each test continues from the one before. */
describe("a stack in the real engine", function () {
  this.timeout("20m");

  let shared: SharedBed;
  let stack: Stack;
  let kubeconfig: string;
  let clusters: object;

  before(async () => {
    shared = await bedWithGateway(namespace);
    const { west, east, north } = shared.kube;
    await installGateway(north);
    await create(west, [
      ...exportedService(`${namespace}/web`),
      ...exportedHeadless(`${namespace}/db`, ["db-0", "db-1"]),
      service(`${namespace}/api`, { labels: member }),
      // The first can't be mirrored, and only north may import the second.
      ...exportedService(`${namespace}/taken`),
      ...exportedService(`${namespace}/vault`, {
        annotations: { "linkerd-multicluster/clusters": "north" },
      }),
    ]);
    await create(east, [service(`${namespace}/taken-west`)]);
    await create(north, exportedService(`${namespace}/web`));
    kubeconfig = join(shared.bed.folder, `${namespace}.kubeconfig`);
    clusters = { west: {}, east: { kubeconfig }, north: { kubeconfig } };
    await writeKubeconfigs(expired);
    const links = [{ ...link, allowDeletions: true }, toNorth];
    stack = await Stack.create(shared, namespace, { clusters, links }, [expired]);
  });

  it("does nothing with a mistake in the config", async () => {
    await stack.configure({ clusters, links: [{ ...link, target: "wset" }] });
    const { text } = await stack.up({ fails: true });
    assert.match(text, /linkerd-multicluster:links\[0\]\.target is "wset"/);
    assert.deepEqual(await mirrors(), []);
    await stack.configure({ clusters, links: [{ ...link, allowDeletions: true }, toNorth] });
  });

  it("fails for a target that refuses its token, and mirrors the other link", async () => {
    const { text } = await stack.up({ fails: true });
    assert.match(text, /cluster north rejects the credentials.* to (?:list|get) \w+/);
    assert.match(text, /engine\/vault is not mirrored \(NotListed\)/);
    assert.deepEqual(await mirrors(), ofWest);
  });

  it("does what it announced once the token works, and lists each cluster once", async () => {
    await writeKubeconfigs();
    const run = await stack.upAsPreviewed();
    assert.deepEqual(await mirrors(), all);
    // One process plans and writes, and all its resources share what it has read.
    const isList = ({ verb, resource }: AuditedRequest) =>
      `${verb} ${resource}` === "list services";
    for (const cluster of [run.requests.west, run.requests.east])
      assert.equal(cluster.filter(isList).length, 1);
  });

  it("keeps its mirrors from a second stack with the same link, which says whose they are", async () => {
    const links = [{ source: "east", target: "west", federatedServiceSelector: {} }];
    const second = await Stack.create(shared, `${namespace}-second`, { clusters, links });
    const { text, writes } = await second.up();
    const owner = `organization/linkerd-multicluster/${namespace}`;
    assert.ok(text.includes(`NotOurs: stack ${owner} owns the mirror east/engine/web-west`), text);
    const destroyed = await second.run("destroy");
    assert.deepEqual([writes, destroyed.writes], [[], []]);
  });

  it("shows drift in a preview, and follows its plan while a target is unreachable", async () => {
    const { east } = shared.kube;
    await shared.bed.clusters.north.cut();
    await patch(east, "Service", `${namespace}/web-west`, { spec: { type: "NodePort" } });
    await remove(east, "Service", `${namespace}/db-0-west`);
    const plan = join(shared.bed.folder, `${namespace}.plan`);
    // Plans are experimental in Pulumi.
    const options = { variables: { PULUMI_EXPERIMENTAL: "1" } };
    const { text } = await stack.run("preview", ["--save-plan", plan], options);
    assert.match(text, /cluster north can't be reached/);
    assert.match(
      text,
      /engine\/web-west *: \{\s+\+? *type *: "NodePort \(set by linkerd-multicluster\) → ClusterIP"/,
    );
    assert.match(text, /engine\/db-0-west *: \{\s+\+? *action *: "recreate: it is missing"/);
    await stack.run("up", ["--plan", plan], options);
    assert.deepEqual(await mirrors(), all);
  });

  it("has nothing to do afterwards, whatever it can't reach or mirror, and refresh changes nothing", async () => {
    const refreshed = await stack.run("refresh", ["--expect-no-changes"]);
    const { writes } = await stack.run("up", ["--expect-no-changes"]);
    assert.deepEqual([refreshed.writes, writes], [[], []]);
    await shared.bed.clusters.north.restore();
  });

  it("keeps every mirror when Pulumi replaces a resource", async () => {
    const uids = await uidsIn(shared.kube.east, namespace);
    await stack.replace();
    assert.deepEqual(await uidsIn(shared.kube.east, namespace), uids);
    // The source gets another name, and its link a stricter guard.
    clusters = { west: {}, est: { kubeconfig, context: "east" }, north: { kubeconfig } };
    const links = [{ ...link, maxDeletions: 1 }, toNorth].map((each) => ({
      ...each,
      source: "est",
    }));
    await stack.configure({ clusters, links });
    await stack.up();
    assert.deepEqual(await uidsIn(shared.kube.east, namespace), uids);
  });

  it("applies the deletion guard to a link that is removed from the config by mistake", async () => {
    await stack.configure({ clusters, links: [{ ...toNorth, source: "est" }] });
    const { text } = await stack.run("up", ["--refresh"], { fails: true });
    assert.match(text, /link est → west is no longer in the config.* maxDeletions \(1\) allows 1/);
    assert.deepEqual(await mirrors(), all);
  });

  it("deletes its own mirrors of a removed link, and leaves those of others", async () => {
    const links = [{ ...toNorth, source: "est" }];
    await stack.configure({ clusters, links, linkDefaults: { allowDeletions: true } });
    await stack.up();
    assert.deepEqual(await mirrors(), ["north-web"]);
    const labels = {
      "mirror.linkerd.io/mirrored-service": "true",
      "mirror.linkerd.io/cluster-name": "west",
    };
    const theirs = foreign.map((name) => service(`${namespace}/${name}`, { labels }));
    await create(shared.kube.east, theirs);
  });

  it("fails to destroy mirrors in an unreachable source, and destroys them later", async () => {
    await shared.bed.clusters.east.cut();
    const { text } = await stack.run("destroy", [], { fails: true });
    assert.match(text, /cluster est can't be reached at https:\S+ to \w+ \S+: the connection/);
    await shared.bed.clusters.east.restore();
    await stack.run("destroy", ["--refresh"]);
    assert.deepEqual(await mirrors(), foreign);
  });

  /** @param token replaces the right one of the context `north` */
  async function writeKubeconfigs(token?: string): Promise<void> {
    const { east, north } = shared.bed.clusters;
    await writeKubeconfig(kubeconfig, [
      { name: "east", access: east.access },
      { name: "north", access: { ...north.access, ...(token !== undefined && { token }) } },
    ]);
  }

  async function mirrors(): Promise<string[]> {
    const names = await servicesIn(shared.kube.east, namespace);
    return names.filter((name) => name !== "taken-west");
  }
});
