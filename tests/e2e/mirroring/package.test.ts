import assert from "node:assert/strict";

import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import type { Config } from "../../bed/stack.ts";
import { plantedSecrets } from "../../components/planted-secrets.ts";
import { canary, Consumer } from "../consumer.ts";
import { exportedService } from "./objects.ts";
import { bedWithGateway, create, type SharedBed } from "./shared-bed.ts";
import { servicesIn } from "./view.ts";

const namespace = "packaged";
const link = { source: "east", target: "west" };
const mesh = { manage: "mirrors", clusters: { west: {}, east: {} }, links: [link] };
const both = ["api-west", "web-west"];
const up = ["up", "--yes", "--skip-preview"] as const;

describe("the npm package, in an empty program that makes its clusters", function () {
  this.timeout("20m");

  let shared: SharedBed;
  let consumer: Consumer;

  before(async function () {
    shared = await bedWithGateway(namespace);
    const created = await Consumer.create(shared.bed, "consumer");
    if (created === undefined) return this.skip();
    consumer = created;
    const exported = (["web", "api"] as const).map((name) => `${namespace}/${name}` as const);
    await create(
      shared.kube.west,
      exported.flatMap((key) => exportedService(key)),
    );
  });

  it("says in the first preview that there will be mirrors, before their clusters exist", async () => {
    const { text } = await consumer.succeeds(mesh, "preview", "--diff");
    assert.match(text, /mirrors +: (output<string>|\[unknown\])/);
  });

  it("mirrors once they exist, and its outputs list the mirrors", async () => {
    await consumer.succeeds(mesh, ...up);
    assert.deepEqual(await servicesIn(shared.kube.east, namespace), both);
    const { stdout } = await consumer.succeeds(mesh, "stack", "output", "--json");
    const line = (of: string) => `gateway mirror of ${of}: port1 555/TCP, port2 666/TCP`;
    const west = { "packaged/api-west": line("api"), "packaged/web-west": line("web") };
    assert.deepEqual(JSON.parse(stdout), {
      mirrors: { east: { west } },
      notMirrored: { east: {} },
      federated: { east: [] },
      trustAnchors: {},
      linkStatuses: { "east/west": { state: "ok", mirrors: 2, notMirrored: 0 } },
    });
  });

  it("shows its mesh with the package's CLI, from the state alone", async () => {
    assert.match(await consumer.clusters("status"), /√ east → west/);
    assert.match(await consumer.clusters("explain", "packaged/web"), /gateway mirror of web/);
    assert.match(await consumer.clusters("check"), /Status: √/);
    assert.match(await consumer.clusters("map", "--output", "mermaid"), /east/);
  });

  it("reports mistakes without a stack trace", async () => {
    const text = await refusal({ ...mesh, topology: "ring" });
    assert.match(text, /topology is "ring"; it must/);
    assert.doesNotMatch(text, /at .*\.js:/);
  });

  it("moves to the plugin that other languages use, which creates only what is missing", async () => {
    const { east } = shared.kube;
    const at = { namespace, name: "web-west" };
    const before = await east.get(resources.services, at);
    await east.remove(resources.services, { namespace, name: "api-west" });
    await consumer.meshFrom("plugin");
    const { text } = await consumer.succeeds(mesh, ...up);
    assert.match(text, /east → west: \+1 \(\+ packaged\/api-west\)/);
    assert.deepEqual(await east.get(resources.services, at), before);
    await consumer.succeeds(mesh, ...up, "--refresh", "--expect-no-changes");
  });

  it("reports every secret that state would hold as plain text", async () => {
    const { args, paths } = plantedSecrets(() => canary);
    const refused = [...(await refusal(args)).matchAll(/(\S+) is a secret/g)];
    const kept = /kubeconfig$|^trust\.issuers\.west\.key$|\.values\.linkerd-|^charts\.\w+\.values$/;
    assert.deepEqual(
      refused.map(([, path]) => path).sort(),
      paths.filter((path) => !kept.test(path)).sort(),
    );
  });

  it("keeps the kubeconfigs of a partly failed run, and is destroyed from the state alone", async () => {
    const { west, east } = shared.kube;
    await west.remove(resources.services, { namespace, name: "web" });
    const strict = { ...mesh, links: [{ ...link, maxDeletions: 0 }] };
    const { code, text } = await consumer.run(strict, ...up, "--refresh");
    assert.notEqual(code, 0);
    assert.match(text, /maxDeletions \(0\) allows 0/);
    assert.deepEqual(await servicesIn(east, namespace), both);
    await consumer.loseKubeconfigs();
    await consumer.succeeds(strict, "destroy", "--yes", "--skip-preview");
    assert.deepEqual(await servicesIn(east, namespace), []);
  });

  it("leaks no credential into state, history or output", async () => {
    assert.deepEqual(await consumer.leaks(), []);
  });

  async function refusal(wrong: Config): Promise<string> {
    const { code, text } = await consumer.run(wrong, "preview");
    assert.notEqual(code, 0);
    assert.match(text, /The mesh mesh needs a change:/);
    return text;
  }
});
