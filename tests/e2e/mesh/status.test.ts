import assert from "node:assert/strict";
import type {
  LinkStatus,
  ServiceStatus,
} from "../../../engine/kubernetes/objects/link-resource.ts";
import type { ObjectKey } from "../../../engine/kubernetes/objects/objects.ts";
import { addLink, addLinkCrd, linksPath } from "../../bed/links.ts";
import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import { discovered, member, nameOf, service } from "../mirroring/objects.ts";
import { create, emptyBed, type SharedBed } from "../mirroring/shared-bed.ts";
import { Stack } from "../mirroring/stack.ts";
import { servicesIn } from "../mirroring/view.ts";

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
    await change("east", { trustRoots, federatedServices: [known] });
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

  it("is repaired when somebody clears it, and lists mirrors as well as members", async () => {
    const before = await statusOf("north");
    await change("east", { federatedServices: null });
    await shared.kube.east.remove(resources.services, nameOf(key("later")));
    await create(shared.kube.east, [
      service("mc-lost/web", { labels: discovered }),
      service(key("web"), { labels: discovered }),
    ]);
    await stack.up();
    const { mirrorServices, federatedServices } = await statusOf("east");
    assert.deepEqual(summary(mirrorServices), [
      "mc-lost/web: False MissingNamespace",
      "mc-status/web: True Mirrored mc-status/web-east",
    ]);
    assert.deepEqual(summary(federatedServices), [
      "mc-status/bb: True Mirrored mc-status/bb-federated",
    ]);
    assert.deepEqual(await statusOf("north"), before);
  });

  it("is emptied on destroy", async () => {
    const { text } = await stack.run("destroy");
    assert.doesNotMatch(text, /revoke/);
    const { mirrorServices, federatedServices } = await statusOf("east");
    assert.deepEqual([mirrorServices, federatedServices], [[], []]);
    assert.deepEqual(await servicesIn(shared.kube.west, namespace), ["bb"]);
  });

  async function change(link: string, status: object): Promise<void> {
    const path = `${linksPath}/${link}/status`;
    assert.equal((await shared.bed.clusters.west.request("PATCH", path, { status })).code, 200);
  }
});

/** `mc-status/bb: True Mirrored mc-status/bb-federated` */
function summary(list: readonly ServiceStatus[] = []): string[] {
  return list.flatMap(({ remoteRef, conditions = [] }) =>
    conditions.map(({ status, reason, localRef }) => {
      const local = localRef === undefined ? "" : ` ${localRef.namespace}/${localRef.name}`;
      return `${remoteRef.namespace}/${remoteRef.name}: ${status} ${reason}${local}`;
    }),
  );
}
