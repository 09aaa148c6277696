import assert from "node:assert/strict";
import type { LinkStatus, ServiceStatus } from "../../engine/kubernetes/link-resource.ts";
import type { FederatedArgs, MirrorsArgs } from "../../engine/mirroring/reconcile/state.ts";
import { type AuditedRequest, type Bed, mark, requestsOf, startBed } from "../../testbed/bed.ts";
import { addLink, addLinkCrd, linksPath } from "./link-crd.ts";
import { addNamespace, addService, label, removeService } from "./objects.ts";
import { driven, type Kept } from "./phases.ts";

const member = { "mirror.linkerd.io/federated": "member" };
const exported = { "mirror.linkerd.io/exported": "remote-discovery" };

describe("the status of Link resources on a real API server", function () {
  this.timeout("20m");

  const federation = driven<FederatedArgs>((all) => all.federatedServices);
  const mirroring = driven<MirrorsArgs>((all) => all.mirrors);
  let bed: Bed<"west" | "east" | "north">;
  let federated: FederatedArgs;
  let mirrors: MirrorsArgs;
  let keptFederated: Kept<FederatedArgs> = {};
  let keptMirrors: Kept<MirrorsArgs> = {};

  before(async () => {
    const names = ["west", "east", "north"] as const;
    bed = await startBed({ clusters: names, runs: "controllers" });
    const { west, east, north } = bed.clusters;
    const access = (context: string) => ({ context, kubeconfig: bed.kubeconfig });
    const clusters = Object.fromEntries(names.map((name) => [name, access(name)]));
    const link = { source: "west", gateway: false } as const;
    const [toEast, toNorth] = [
      { ...link, target: "east" },
      { ...link, target: "north" },
    ];
    const statusIn = "linkerd-multicluster";
    federated = { cluster: "west", links: [toEast, toNorth], clusters, statusIn };
    mirrors = { link: toEast, siblings: [toNorth], clusters, statusIn };
    await addLinkCrd(west);
    for (const name of ["east", "north"]) await addLink(west, name);
    for (const cluster of [west, east, north]) {
      await addNamespace(cluster, "mc-demo");
      await addService(cluster, "mc-demo", "bb", { labels: member });
    }
  });
  after(() => bed.stop());

  async function statusOf(link: string): Promise<LinkStatus> {
    const { body } = await bed.clusters.west.request("GET", `${linksPath}/${link}`);
    return (body as { readonly status?: LinkStatus }).status ?? {};
  }

  async function federate(): Promise<readonly string[]> {
    keptFederated = await federation.up(federated, keptFederated);
    return (keptFederated as Awaited<ReturnType<typeof federation.up>>).reasons;
  }

  async function mirror(): Promise<void> {
    keptMirrors = await mirroring.up(mirrors, keptMirrors);
  }

  it("is announced by a preview, which writes nothing", async () => {
    const { inputs } = await federation.preview(federated);
    assert.deepEqual(inputs.changes, {
      "Link linkerd-multicluster/east": { "status.federatedServices": "1 Service mirrored, 0 not" },
      "Link linkerd-multicluster/north": {
        "status.federatedServices": "1 Service mirrored, 0 not",
      },
    });
    assert.deepEqual(await statusOf("east"), {});
  });

  it("lists the members of a federated Service as Linkerd's guide does, in one request for each Link", async () => {
    const since = await mark(bed.clusters.west);
    await federate();
    for (const link of ["east", "north"]) {
      const { federatedServices: list } = await statusOf(link);
      const lastTransitionTime = list?.[0]?.conditions?.[0]?.lastTransitionTime ?? "";
      assert.match(lastTransitionTime, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      assert.deepEqual(list, [
        {
          conditions: [
            {
              lastTransitionTime,
              localRef: { group: "", kind: "Service", name: "bb-federated", namespace: "mc-demo" },
              message: "",
              reason: "Mirrored",
              status: "True",
              type: "Mirrored",
            },
          ],
          controllerName: "linkerd.io/service-mirror",
          remoteRef: { group: "", kind: "Service", name: "bb", namespace: "mc-demo" },
        },
      ]);
    }
    assert.deepEqual(statusPatches(await requestsOf(since)), ["east", "north"]);
  });

  it("needs nothing when nothing has changed", async () => {
    const before = await statusOf("east");
    const since = await mark(bed.clusters.west);
    const { changes } = await federation.preview(federated, keptFederated);
    assert.equal(changes, false);
    await federate();
    assert.deepEqual(statusPatches(await requestsOf(since)), []);
    assert.deepEqual(await statusOf("east"), before);
  });

  it("is put right when somebody has cleared it, even if no Service has to change", async () => {
    const path = `${linksPath}/east/status`;
    const before = await statusOf("north");
    await bed.clusters.west.request("PATCH", path, { status: { federatedServices: null } });
    const { inputs, changes } = await federation.preview(federated, keptFederated);
    assert.equal(changes, true);
    assert.deepEqual(inputs.changes, {
      "Link linkerd-multicluster/east": { "status.federatedServices": "1 Service mirrored, 0 not" },
    });
    await federate();
    assert.equal((await statusOf("east")).federatedServices?.length, 1);
    assert.deepEqual(await statusOf("north"), before);
  });

  it("has the mirrors beside the members, each list by its own writer", async () => {
    const { east } = bed.clusters;
    await addNamespace(east, "lost");
    await addService(east, "lost", "web", { labels: exported });
    await addService(east, "mc-demo", "web", { labels: exported });
    await mirror();
    const { mirrorServices, federatedServices } = await statusOf("east");
    assert.deepEqual(summary(mirrorServices), [
      "lost/web: False MissingNamespace",
      "mc-demo/web: True Mirrored mc-demo/web-east",
    ]);
    assert.match(
      mirrorServices?.[0]?.conditions?.[0]?.message ?? "",
      /^west has no namespace lost:/,
    );
    assert.deepEqual(summary(federatedServices), [
      "mc-demo/bb: True Mirrored mc-demo/bb-federated",
    ]);
  });

  it("keeps the time of what has not changed, and gives a new one to what has", async () => {
    await backdate("east", "mirrorServices");
    await addNamespace(bed.clusters.west, "lost");
    await mirror();
    const { mirrorServices = [] } = await statusOf("east");
    assert.deepEqual(summary(mirrorServices), [
      "lost/web: True Mirrored lost/web-east",
      "mc-demo/web: True Mirrored mc-demo/web-east",
    ]);
    const times = mirrorServices.map(({ conditions }) => conditions?.[0]?.lastTransitionTime);
    assert.notEqual(times[0], "2024-11-07T19:53:01Z");
    assert.equal(times[1], "2024-11-07T19:53:01Z");
  });

  it("says of a headless Service that it is no member, and of the others that they are", async () => {
    const { north } = bed.clusters;
    await removeService(north, "mc-demo", "bb");
    await addService(north, "mc-demo", "bb", { labels: member, spec: { clusterIP: "None" } });
    await federate();
    assert.deepEqual(summary((await statusOf("north")).federatedServices), [
      "mc-demo/bb: False InvalidService",
    ]);
    assert.deepEqual(summary((await statusOf("east")).federatedServices), [
      "mc-demo/bb: True Mirrored mc-demo/bb-federated",
    ]);
  });

  it("loses its last entry with the last member", async () => {
    await label(bed.clusters.north, "mc-demo", "bb", { "mirror.linkerd.io/federated": null });
    await federate();
    assert.deepEqual((await statusOf("north")).federatedServices, []);
  });

  it("says to each member's Link that a Service of somebody else has the name", async () => {
    const { west, east } = bed.clusters;
    await addService(west, "mc-demo", "own-federated");
    await addService(east, "mc-demo", "own", { labels: member });
    await federate();
    const { federatedServices: list = [] } = await statusOf("east");
    assert.deepEqual(summary(list), [
      "mc-demo/bb: True Mirrored mc-demo/bb-federated",
      "mc-demo/own: False Error",
    ]);
    assert.match(list[1]?.conditions?.[0]?.message ?? "", /^west already has a foreign Service/);
  });

  it("says Error of what could not be written, until it can", async () => {
    const { east } = bed.clusters;
    // With the list of members on top, it is more than Kubernetes takes.
    const annotations = { long: "x".repeat(256 * 1024 - 20) };
    await addService(east, "mc-demo", "long", { labels: member, annotations });
    const [reason = "", hint, ...others] = await federate();
    assert.match(reason, /mc-demo\/long-federated/);
    assert.equal(hint, "the rest is done, and pulumi up goes on with these");
    assert.deepEqual(others, []);
    const failed = (await statusOf("east")).federatedServices ?? [];
    assert.deepEqual(summary(failed), [
      "mc-demo/bb: True Mirrored mc-demo/bb-federated",
      "mc-demo/long: False Error",
      "mc-demo/own: False Error",
    ]);
    assert.equal(failed[1]?.conditions?.[0]?.message, reason);
    await removeService(east, "mc-demo", "long");
    await addService(east, "mc-demo", "long", { labels: member });
    assert.deepEqual(await federate(), []);
    assert.match(summary((await statusOf("east")).federatedServices).join(), /long: True Mirrored/);
  });

  it("is no matter where there is no Link resource", async () => {
    await bed.clusters.west.request("DELETE", `${linksPath}/north`);
    await label(bed.clusters.north, "mc-demo", "bb", { any: "thing" });
    assert.deepEqual(await federate(), []);
    const { changes } = await federation.preview(federated, keptFederated);
    assert.equal(changes, false);
  });

  async function backdate(link: string, list: keyof LinkStatus): Promise<void> {
    const entries = (await statusOf(link))[list]?.map((entry) => ({
      ...entry,
      conditions: entry.conditions?.map((condition) => ({
        ...condition,
        lastTransitionTime: "2024-11-07T19:53:01Z",
      })),
    }));
    const body = { status: { [list]: entries } };
    const { code } = await bed.clusters.west.request("PATCH", `${linksPath}/${link}/status`, body);
    assert.equal(code, 200);
  }
});

/** `mc-demo/bb: True Mirrored mc-demo/bb-federated` */
function summary(list: readonly ServiceStatus[] = []): string[] {
  return list.flatMap(({ remoteRef, conditions = [] }) =>
    conditions.map(({ status, reason, localRef }) => {
      const local = localRef === undefined ? "" : ` ${localRef.namespace}/${localRef.name}`;
      return `${remoteRef.namespace}/${remoteRef.name}: ${status} ${reason}${local}`;
    }),
  );
}

/** Links whose status was patched, one name for each request. */
function statusPatches(requests: readonly AuditedRequest[]): string[] {
  return requests
    .filter(({ verb, resource }) => verb === "patch" && resource === "links/status")
    .map(({ name }) => name);
}
