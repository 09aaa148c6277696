import assert from "node:assert/strict";

import { resources } from "../../engine/kubernetes/objects/resources.ts";
import { Consumer } from "./consumer.ts";
import { installGateway } from "./mirroring/gateway.ts";
import { servicesIn } from "./mirroring/live.ts";
import { exportedService } from "./mirroring/objects.ts";
import { create, createNamespaces, emptyBed, type SharedBed } from "./mirroring/shared-bed.ts";

const namespace = "packaged";
const link = { source: "east", target: "west" };
const mesh = { manage: "mirrors", clusters: { west: {}, east: {} }, links: [link] };

describe("the npm package, in an empty program that makes its clusters", function () {
  this.timeout("20m");

  let shared: SharedBed;
  let consumer: Consumer;

  before(async function () {
    shared = await emptyBed();
    const { bed, kube } = shared;
    const created = await Consumer.create(bed, "consumer");
    if (created === undefined) return this.skip();
    consumer = created;
    await installGateway(kube.west);
    await createNamespaces(kube.east, [namespace]);
    await create(kube.west, exportedService(`${namespace}/web`));
  });

  it("shows in the first preview that there will be mirrors, and that no more is known", async () => {
    const { text } = await consumer.succeeds(mesh, "preview", "--diff");
    assert.match(text, /mirrors +: (output<string>|\[unknown\])/);
  });

  it("mirrors once they are made, and tells the program what", async () => {
    await consumer.succeeds(mesh, "up", "--yes", "--skip-preview");
    assert.deepEqual(await servicesIn(shared.kube.east, namespace), ["web-west"]);
    const { stdout } = await consumer.succeeds(mesh, "stack", "output", "--json");
    const line = "gateway mirror of web: port1 555/TCP, port2 666/TCP";
    assert.deepEqual(JSON.parse(stdout), {
      mirrors: { east: { west: { "packaged/web-west": line } } },
      ...{ notMirrored: { east: {} }, federated: { east: [] }, trustAnchors: {} },
      linkStatuses: { "east/west": { state: "ok", mirrors: 1, notMirrored: 0 } },
    });
  });

  it("has nothing to do then, after a refresh neither", async () => {
    await consumer.succeeds(mesh, "refresh", "--yes", "--skip-preview");
    await consumer.succeeds(mesh, "up", "--yes", "--skip-preview", "--expect-no-changes");
  });

  it("tells of every mistake at once, without a stack trace", async () => {
    const wrong = { ...mesh, links: [{ ...link, target: "wets", readiness: "maybe" }] };
    const { code, text } = await consumer.run(wrong, "preview");
    assert.notEqual(code, 0);
    assert.match(text, /The mesh mesh needs a change:/);
    assert.match(text, /readiness/);
    assert.match(text, /wets/);
    assert.doesNotMatch(text, /at .*\.js:/);
  });

  it("becomes the plugin's, as programs in other languages have it, without a mirror touched", async () => {
    const mirror = async () =>
      shared.kube.east.get(resources.services, { namespace, name: "web-west" });
    const before = await mirror();
    await consumer.meshFrom("plugin");
    await consumer.succeeds(mesh, "up", "--yes", "--skip-preview");
    assert.deepEqual(await mirror(), before);
    await consumer.succeeds(mesh, "refresh", "--yes", "--skip-preview");
    await consumer.succeeds(mesh, "preview", "--expect-no-changes");
    await shared.kube.east.remove(resources.services, { namespace, name: "web-west" });
    const repair = await consumer.succeeds(mesh, "up", "--yes", "--skip-preview");
    assert.match(repair.text, /east <- west: \+1 \(\+ packaged\/web-west\)/);
    const { code, text } = await consumer.run({ ...mesh, topology: "ring" }, "preview");
    assert.notEqual(code, 0);
    assert.match(text, /The mesh mesh needs a change:\s+linkerd-multicluster:topology is "ring"/);
  });

  it("keeps the kubeconfigs of a run that is done in part, and takes all away by state alone", async () => {
    const { west, east } = shared.kube;
    await west.remove(resources.services, { namespace, name: "web" });
    const strict = { ...mesh, links: [{ ...link, maxDeletions: 0 }] };
    const { code, text } = await consumer.run(strict, "up", "--yes", "--skip-preview");
    assert.notEqual(code, 0);
    assert.match(text, /maxDeletions \(0\) allows 0/);
    assert.deepEqual(await servicesIn(east, namespace), ["web-west"]);
    await consumer.loseKubeconfigs();
    await consumer.succeeds(strict, "destroy", "--yes", "--skip-preview");
    assert.deepEqual(await servicesIn(east, namespace), []);
  });

  it("has let no credential out, into state, history or what was said", async () => {
    assert.deepEqual(await consumer.leaks(), []);
  });
});
