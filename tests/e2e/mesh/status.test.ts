import assert from "node:assert/strict";
import type { LinkStatus } from "../../../engine/kubernetes/objects/link-resource.ts";
import type { ObjectKey } from "../../../engine/kubernetes/objects/objects.ts";
import { addLink, addLinkCrd, linksPath } from "../../bed/links.ts";
import { member, service } from "../mirroring/objects.ts";
import { create, emptyBed, type SharedBed } from "../mirroring/shared-bed.ts";
import { Stack } from "../mirroring/stack.ts";

const namespace = "mc-status";
const key = (name: string): ObjectKey => `${namespace}/${name}`;
const announced = (link: string) => ({
  [`Link linkerd-multicluster/${link}`]: {
    "status.federatedServices": "1 Service mirrored, 0 not",
  },
});

describe("the status of Link resources on a real API server", function () {
  this.timeout("20m");

  let shared: SharedBed;
  let stack: Stack;

  before(async () => {
    shared = await emptyBed();
    const { west } = shared.bed.clusters;
    await addLinkCrd(west);
    for (const name of ["east", "north"]) await addLink(west, name);
    for (const kube of Object.values(shared.kube))
      await create(kube, [service(key("bb"), { labels: member })]);
    stack = await Stack.create(shared, "status", {
      clusters: { west: {}, east: {}, north: {} },
      links: ["east", "north"].map((target) => ({ source: "west", target, gateway: false })),
    });
  });

  async function statusOf(link: string): Promise<LinkStatus> {
    const { body } = await shared.bed.clusters.west.request("GET", `${linksPath}/${link}`);
    return (body as { readonly status?: LinkStatus }).status ?? {};
  }

  it("is announced by a preview, which writes nothing", async () => {
    const { changes } = await stack.previewed();
    for (const link of ["east", "north"])
      assert.deepEqual({ ...changes, ...announced(link) }, changes);
    assert.deepEqual(await statusOf("east"), {});
  });

  it("lists the members of a federated Service as Linkerd's guide does, in one request for each Link", async () => {
    const { requests } = await stack.up();
    for (const link of ["east", "north"]) {
      const { federatedServices: list } = await statusOf(link);
      const lastTransitionTime = list?.[0]?.conditions?.[0]?.lastTransitionTime ?? "";
      assert.match(lastTransitionTime, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      const localRef = { group: "", kind: "Service", name: "bb-federated", namespace };
      const state = { message: "", reason: "Mirrored", status: "True", type: "Mirrored" };
      assert.deepEqual(list, [
        {
          conditions: [{ lastTransitionTime, localRef, ...state }],
          controllerName: "linkerd.io/service-mirror",
          remoteRef: { group: "", kind: "Service", name: "bb", namespace },
        },
      ]);
    }
    const patches = requests.west.filter(({ resource }) => resource === "links/status");
    assert.deepEqual(patches.map(({ name }) => name).sort(), ["east", "north"]);
  });

  it("keeps fields that the program doesn't know, in an entry of a list too", async () => {
    const { federatedServices: [entry] = [] } = await statusOf("east");
    assert.ok(entry);
    const trustRoots = { sha256: "0123", state: "Trusted" };
    const known = { ...entry, zone: "a" };
    const status = { trustRoots, federatedServices: [known] };
    const { west } = shared.bed.clusters;
    const { code } = await west.request("PATCH", `${linksPath}/east/status`, { status });
    assert.equal(code, 200);
    await create(shared.kube.east, [service(key("later"), { labels: member })]);
    await stack.up();
    const { federatedServices: list, ...rest } = await statusOf("east");
    assert.deepEqual(rest, { trustRoots });
    assert.deepEqual(
      list?.map(({ remoteRef }) => remoteRef.name),
      ["bb", "later"],
    );
    assert.deepEqual(list[0], known);
  });
});
