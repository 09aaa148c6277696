import assert from "node:assert/strict";
import { annotation } from "../../engine/mirroring/model/vocabulary.ts";
import { type Bed, mark, requestsOf, startBed, until } from "../../testbed/bed.ts";
import { type Config, newStack, type Stack } from "./engine.ts";
import {
  addNamespace,
  addService,
  label,
  removeService,
  serviceIn,
  serviceNames,
  servicesOf,
} from "./objects.ts";

const member = { "mirror.linkerd.io/federated": "member" };
const list = annotation.remoteMembers;
const names = ["west", "east", "north"] as const;

function config(clusters: readonly string[], ...targets: readonly string[]): Config {
  return {
    clusters: Object.fromEntries(clusters.map((name) => [name, {}])),
    links: targets.map((target) => ({ source: "west", target, gateway: false })),
    manage: "mirrors",
  };
}

/** Linkerd's guide to federated services, and what can come of it. Each test goes on from the one before. */
describe("federated Services on three real clusters", function () {
  this.timeout("20m");

  let bed: Bed<(typeof names)[number]>;
  let stack: Stack;

  before(async () => {
    bed = await startBed({ clusters: names, runs: "controllers" });
    const { west, east, north } = bed.clusters;
    for (const cluster of [west, east, north]) {
      await addNamespace(cluster, "mc-demo");
      await addService(cluster, "mc-demo", "bb", { labels: { ...member, of: cluster.name } });
    }
    const both = { ...member, "mirror.linkerd.io/exported": "remote-discovery" };
    await addService(east, "mc-demo", "both", { labels: both });
    await addService(east, "mc-demo", "set", { labels: member, spec: { clusterIP: "None" } });
    await addService(east, "mc-demo", "own", { labels: member });
    await addService(west, "mc-demo", "own-federated");
    await addService(east, "mc-demo", "ports", { labels: member });
    const metrics = { ports: [{ name: "metrics", port: 9090 }] };
    await addService(north, "mc-demo", "ports", { labels: member, spec: metrics });
    // Linkerd's controller has been here before, for a cluster that is none of this stack's.
    await addService(west, "mc-demo", "old-federated", {
      labels: { "mirror.linkerd.io/mirrored-service": "true" },
      annotations: { [list]: "old@other,old@east" },
    });
    stack = await newStack(bed, "federated", config(names, "east", "north"));
  });
  after(() => bed.stop());

  /** `bb@east,bb@north local bb`; undefined where there is no such Service. */
  async function membersOf(name: string): Promise<string | undefined> {
    const service = await serviceIn(bed.clusters.west, "mc-demo", `${name}-federated`);
    if (service === undefined) return undefined;
    const { [list]: remote = "", [annotation.localMember]: local } =
      service.metadata.annotations ?? {};
    return remote + (local === undefined ? "" : ` local ${local}`);
  }

  async function up(...words: readonly string[]): Promise<string> {
    return stack.pulumi("up", "--yes", "--skip-preview", ...words);
  }

  async function writes(work: () => Promise<unknown>): Promise<string[]> {
    const { west } = bed.clusters;
    const since = await mark(west);
    await work();
    const requests = await requestsOf(since, "linkerd-multicluster/");
    return requests
      .filter(({ verb }) => !["get", "list"].includes(verb))
      .map(({ verb, resource, name }) => `${verb} ${resource} ${name}`.trim());
  }

  it("are previewed member by member, with whom a name or ports stand in the way", async () => {
    let text = "";
    const written = await writes(async () => (text = await stack.pulumi("preview", "--diff")));
    assert.deepEqual(written, []);
    assert.match(
      text,
      /mc-demo\/bb-federated *: "federated Service of bb@east, bb@north, local bb: http 8080\/TCP"/,
    );
    assert.match(
      text,
      /mc-demo\/old-federated *: "federated Service of old@other: http 8080\/TCP"/,
    );
    assert.match(
      text,
      /mc-demo\/ports: "its ports are those of east \(http 8080\/TCP\), and differ from metrics 9090\/TCP on north:/,
    );
    assert.match(text, /mc-demo\/set of east is not mirrored \(HeadlessMember\)/);
    assert.match(
      text,
      /mc-demo\/own is not mirrored \(NotOurs\): west already has a foreign Service mc-demo\/own-federated:/,
    );
  });

  it("come where the links lead to, with the local member's labels and everybody in their lists", async () => {
    const { west, east, north } = bed.clusters;
    const before = await serviceIn(west, "mc-demo", "own-federated");
    await up();
    const bb = await serviceIn(west, "mc-demo", "bb-federated");
    assert.deepEqual(bb?.metadata.labels, {
      "mirror.linkerd.io/mirrored-service": "true",
      of: "west",
    });
    assert.deepEqual(bb.metadata.annotations, {
      [list]: "bb@east,bb@north",
      [annotation.localMember]: "bb",
    });
    assert.deepEqual(bb.spec.ports, [
      { name: "http", protocol: "TCP", port: 8080, targetPort: 8080 },
    ]);
    assert.equal(bb.spec.selector, undefined);
    const endpoints = await west.request(
      "GET",
      "/api/v1/namespaces/mc-demo/endpoints/bb-federated",
    );
    assert.equal(endpoints.code, 404);
    for (const cluster of [east, north])
      assert.equal(await serviceIn(cluster, "mc-demo", "bb-federated"), undefined);
    assert.deepEqual(await serviceIn(west, "mc-demo", "own-federated"), before);
  });

  it("come at once for a Service that is exported too, beside its mirror", async () => {
    assert.equal(await membersOf("both"), "both@east");
    const mirror = await serviceIn(bed.clusters.west, "mc-demo", "both-east");
    assert.equal(mirror?.metadata.labels?.["multicluster.linkerd.io/remote-service"], "both");
  });

  it("are taken over from Linkerd's controller, and keep members of clusters that are none of ours", async () => {
    assert.equal(await membersOf("old"), "old@other");
    assert.equal(await membersOf("set"), undefined);
  });

  it("need nothing in the next run", async () => {
    assert.deepEqual(await writes(() => up("--expect-no-changes")), []);
  });

  it("lose a member with its label, of which the preview says that and nothing else", async () => {
    await label(bed.clusters.north, "mc-demo", "bb", { "mirror.linkerd.io/federated": null });
    const text = await stack.pulumi("preview", "--diff");
    assert.match(text, /remote-discovery *: "\\"bb@east,bb@north\\" → \\"bb@east\\""/);
    assert.match(
      text,
      /~ mc-demo\/bb-federated: "federated Service of bb@east, bb@north, local bb: .*" => "federated Service of bb@east, local bb: /,
    );
    assert.match(text, /~ 1 to update/);
    const changed = [...text.matchAll(/^ *[-+~] (mc-demo\/[\w-]+)/gm)].map(([, key]) => key);
    assert.deepEqual([...new Set(changed)], ["mc-demo/bb-federated"]);
    assert.deepEqual(await writes(() => up()), ["update services bb-federated"]);
    assert.equal(await membersOf("bb"), "bb@east local bb");
  });

  it("have the labels of a remote member once the local one has left", async () => {
    await label(bed.clusters.north, "mc-demo", "bb", member);
    await label(bed.clusters.west, "mc-demo", "bb", { "mirror.linkerd.io/federated": null });
    await up();
    assert.equal(await membersOf("bb"), "bb@east,bb@north");
    const service = await serviceIn(bed.clusters.west, "mc-demo", "bb-federated");
    assert.equal(service?.metadata.labels?.of, "east");
  });

  it("are put right where somebody has edited them, a selector and its Endpoints included", async () => {
    const { west } = bed.clusters;
    const path = `${servicesOf("mc-demo")}/bb-federated`;
    await west.request("PATCH", path, {
      metadata: { annotations: { [list]: "bb@east" } },
      spec: { selector: { app: "bb" } },
    });
    await until("Endpoints by the selector", [], async () => {
      const at = "/api/v1/namespaces/mc-demo/endpoints/bb-federated";
      return (await west.request("GET", at)).code === 200 || undefined;
    });
    await up();
    assert.equal(await membersOf("bb"), "bb@east,bb@north");
    assert.equal((await serviceIn(west, "mc-demo", "bb-federated"))?.spec.selector, undefined);
    await up();
    await up("--expect-no-changes");
  });

  it("keep the members of a cluster that is out of reach, while others come and go", async () => {
    const { north, east } = bed.clusters;
    await north.cut();
    try {
      await label(east, "mc-demo", "bb", { "mirror.linkerd.io/federated": null });
      assert.match(await up(), /north is out of reach, so its members stay as they are/);
      assert.equal(await membersOf("bb"), "bb@north");
    } finally {
      await north.restore();
    }
    await label(east, "mc-demo", "bb", member);
    await up();
    assert.equal(await membersOf("bb"), "bb@north,bb@east");
  });

  it("lose the members of a link that is removed", async () => {
    await stack.configure(config(names, "east"));
    await up();
    assert.equal(await membersOf("bb"), "bb@east");
    assert.equal(await membersOf("ports"), "ports@east");
    await up();
    await up("--expect-no-changes");
  });

  it("lose the members of a cluster that is removed, in a run that begins with its link's source out of reach", async () => {
    const { west } = bed.clusters;
    await stack.configure(config(["west", "north"], "north"));
    await west.cut();
    try {
      await up();
    } catch (error) {
      // The mirrors of the link that is gone cannot be taken out now.
      assert.match(String(error), /west/);
    } finally {
      await west.restore();
    }
    await up();
    assert.equal(await membersOf("bb"), "bb@north");
    assert.equal(await serviceIn(west, "mc-demo", "both-federated"), undefined);
    assert.equal(await membersOf("old"), "old@other");
  });

  it("go with their last member", async () => {
    await removeService(bed.clusters.north, "mc-demo", "bb");
    await up();
    assert.equal(await membersOf("bb"), undefined);
  });

  it("go with the stack, which leaves what is not its own", async () => {
    await label(bed.clusters.west, "mc-demo", "bb", member);
    await up();
    assert.equal(await membersOf("bb"), " local bb");
    await stack.pulumi("destroy", "--yes", "--skip-preview");
    assert.deepEqual(await serviceNames(bed.clusters.west, "mc-demo"), [
      "bb",
      "old-federated",
      "own-federated",
    ]);
    assert.equal(await membersOf("old"), "old@other");
  });
});
