import assert from "node:assert/strict";
import type { LinkStatus, ServiceStatus } from "../../engine/kubernetes/objects/link-resource.ts";
import type { ObjectKey } from "../../engine/kubernetes/objects/objects.ts";
import { resources } from "../../engine/kubernetes/objects/resources.ts";
import type { AuditedRequest } from "../../testbed/bed.ts";
import { addLink, addLinkCrd, linksPath } from "../../testbed/links.ts";
import { Methods } from "./mirroring/methods.ts";
import { service } from "./mirroring/objects.ts";
import { create, emptyBed, type SharedBed } from "./mirroring/shared-bed.ts";

const namespace = "mc-status";
const statusIn = "linkerd-multicluster";
const member = { "mirror.linkerd.io/federated": "member" };
const exported = { "mirror.linkerd.io/exported": "remote-discovery" };
const key = (name: string): ObjectKey => `${namespace}/${name}`;

describe("the status of Link resources on a real API server", function () {
  this.timeout("20m");

  let shared: SharedBed;
  let stack: Methods;

  before(async () => {
    shared = await emptyBed();
    const { west } = shared.bed.clusters;
    await addLinkCrd(west);
    for (const name of ["east", "north"]) await addLink(west, name);
    for (const kube of Object.values(shared.kube))
      await create(kube, [service(key("bb"), { labels: member })]);
    const config = {
      clusters: { west: {}, east: {}, north: {} },
      links: ["east", "north"].map((target) => ({ source: "west", target, gateway: false })),
    };
    stack = await Methods.create(shared, "status", config, [], { statusIn });
  });

  async function statusOf(link: string): Promise<LinkStatus> {
    const { body } = await shared.bed.clusters.west.request("GET", `${linksPath}/${link}`);
    return (body as { readonly status?: LinkStatus }).status ?? {};
  }

  it("is announced by a preview, which writes nothing", async () => {
    const { changes } = await stack.previewed();
    for (const link of ["east", "north"])
      assert.equal(
        changes[`Link ${statusIn}/${link}`]?.["status.federatedServices"],
        "1 Service mirrored, 0 not",
      );
    assert.deepEqual(await statusOf("east"), {});
  });

  it("lists the members of a federated Service as Linkerd's guide does, in one request for each Link", async () => {
    const { requests } = await stack.up();
    for (const link of ["east", "north"]) {
      const { federatedServices: list } = await statusOf(link);
      const lastTransitionTime = list?.[0]?.conditions?.[0]?.lastTransitionTime ?? "";
      assert.match(lastTransitionTime, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      assert.deepEqual(list, [
        {
          conditions: [
            {
              lastTransitionTime,
              localRef: { group: "", kind: "Service", name: "bb-federated", namespace },
              message: "",
              reason: "Mirrored",
              status: "True",
              type: "Mirrored",
            },
          ],
          controllerName: "linkerd.io/service-mirror",
          remoteRef: { group: "", kind: "Service", name: "bb", namespace },
        },
      ]);
    }
    assert.deepEqual(patchedLinks(requests.west), ["east", "north"]);
  });

  it("needs nothing when nothing has changed", async () => {
    const before = await statusOf("east");
    await stack.assertSettled();
    assert.deepEqual(await statusOf("east"), before);
  });

  it("is put right when somebody has cleared it, even if no Service has to change", async () => {
    const path = `${linksPath}/east/status`;
    const before = await statusOf("north");
    await shared.bed.clusters.west.request("PATCH", path, { status: { federatedServices: null } });
    const { changes } = await stack.previewed();
    assert.deepEqual(changes, {
      [`Link ${statusIn}/east`]: {
        "status.federatedServices": "1 Service mirrored, 0 not",
      },
    });
    await stack.up();
    assert.equal((await statusOf("east")).federatedServices?.length, 1);
    assert.deepEqual(await statusOf("north"), before);
  });

  it("has the mirrors beside the members, each list by its own writer", async () => {
    await create(shared.kube.east, [
      service("mc-lost/web", { labels: exported }),
      service(key("web"), { labels: exported }),
    ]);
    await stack.up();
    const { mirrorServices, federatedServices } = await statusOf("east");
    assert.deepEqual(summary(mirrorServices), [
      "mc-lost/web: False MissingNamespace",
      "mc-status/web: True Mirrored mc-status/web-east",
    ]);
    assert.match(
      mirrorServices?.[0]?.conditions?.[0]?.message ?? "",
      /^west has no namespace mc-lost:/,
    );
    assert.deepEqual(summary(federatedServices), [
      "mc-status/bb: True Mirrored mc-status/bb-federated",
    ]);
  });

  it("of more mirrors than there is room for is written once, and is no reason to be left out", async () => {
    // As long as a name may be, so that fewer of them fill the list.
    const names = Array.from({ length: 1_400 }, (_, index) => `many-${index}`.padEnd(57, "x"));
    await create(
      shared.kube.east,
      names.map((name) => service(key(name), { labels: exported })),
    );
    await stack.up();
    const { mirrorServices: list = [] } = await statusOf("east");
    assert.match(list.at(-1)?.conditions?.[0]?.message ?? "", /^\d+ more Services mirrored/);
    await stack.assertSettled();
    const { text } = await stack.destroy();
    assert.doesNotMatch(text, /revoke/);
    assert.deepEqual((await statusOf("east")).mirrorServices, []);
    assert.deepEqual(
      (await shared.kube.west.list(resources.services))
        .map(({ metadata }) => metadata.name)
        .filter((name) => name.startsWith("many-")),
      [],
    );
  });
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

/** The Links whose status was patched. */
function patchedLinks(requests: readonly AuditedRequest[]): string[] {
  const patches = requests.filter(({ resource }) => resource === "links/status");
  return [...new Set(patches.map(({ name }) => name))].sort();
}
