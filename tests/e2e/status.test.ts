import assert from "node:assert/strict";
import type { LinkStatus, ServiceStatus } from "../../engine/kubernetes/objects/link-resource.ts";
import type { ObjectKey } from "../../engine/kubernetes/objects/objects.ts";
import { resources } from "../../engine/kubernetes/objects/resources.ts";
import { type AuditedRequest, until } from "../../testbed/bed.ts";
import { addLink, addLinkCrd, linksPath, removeLinkCrd } from "../../testbed/links.ts";
import { relabel, removeService } from "./mirroring/changes.ts";
import { Methods } from "./mirroring/methods.ts";
import { service } from "./mirroring/objects.ts";
import { create, createNamespaces, emptyWorld, type World } from "./mirroring/world.ts";

const namespace = "mc-status";
const statusIn = "linkerd-multicluster";
const member = { "mirror.linkerd.io/federated": "member" };
const exported = { "mirror.linkerd.io/exported": "remote-discovery" };
const key = (name: string): ObjectKey => `${namespace}/${name}`;

describe("the status of Link resources on a real API server", function () {
  this.timeout("20m");

  let world: World;
  let stack: Methods;

  before(async () => {
    world = await emptyWorld();
    const { west } = world.bed.clusters;
    await addLinkCrd(west);
    for (const name of ["east", "north"]) await addLink(west, name);
    for (const kube of Object.values(world.kube))
      await create(kube, [service(key("bb"), { labels: member })]);
    const config = {
      clusters: { west: {}, east: {}, north: {} },
      links: ["east", "north"].map((target) => ({ source: "west", target, gateway: false })),
    };
    stack = await Methods.create(world, "status", config, [], { statusIn });
  });
  after(() => removeLinkCrd(world.bed.clusters.west));

  async function statusOf(link: string): Promise<LinkStatus> {
    const { body } = await world.bed.clusters.west.request("GET", `${linksPath}/${link}`);
    return (body as { readonly status?: LinkStatus }).status ?? {};
  }

  const quotas = `/api/v1/namespaces/${namespace}/resourcequotas`;
  const quota = `${quotas}/none`;

  /** Whether west takes no more Services in the namespace. */
  async function isExhausted(): Promise<boolean> {
    const path = `/api/v1/namespaces/${namespace}/services?dryRun=All`;
    const object = { metadata: { name: "probe" }, spec: { ports: [{ port: 80 }] } };
    return (await world.bed.clusters.west.request("POST", path, object)).code === 403;
  }

  async function exhaustQuota(): Promise<void> {
    const { west } = world.bed.clusters;
    const hard = { services: "0" };
    await west.request("POST", quotas, { metadata: { name: "none" }, spec: { hard } });
    await west.request("PATCH", `${quota}/status`, { status: { hard, used: { services: "0" } } });
    await until("the quota", [], async () => (await isExhausted()) || undefined);
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
    await world.bed.clusters.west.request("PATCH", path, { status: { federatedServices: null } });
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
    await create(world.kube.east, [
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

  it("keeps the time of what has not changed, and gives a new one to what has", async () => {
    await backdate("east", "mirrorServices");
    await createNamespaces(world.kube.west, ["mc-lost"]);
    await stack.up();
    const { mirrorServices = [] } = await statusOf("east");
    assert.deepEqual(summary(mirrorServices), [
      "mc-lost/web: True Mirrored mc-lost/web-east",
      "mc-status/web: True Mirrored mc-status/web-east",
    ]);
    const times = mirrorServices.map(({ conditions }) => conditions?.[0]?.lastTransitionTime);
    assert.notEqual(times[0], "2024-11-07T19:53:01Z");
    assert.equal(times[1], "2024-11-07T19:53:01Z");
  });

  it("says of a headless Service that it is no member, and of the others that they are", async () => {
    const { north } = world.kube;
    await removeService(north, key("bb"));
    await create(north, [service(key("bb"), { labels: member }, { clusterIP: "None" })]);
    await stack.up();
    assert.deepEqual(summary((await statusOf("north")).federatedServices), [
      "mc-status/bb: False InvalidService",
    ]);
    assert.deepEqual(summary((await statusOf("east")).federatedServices), [
      "mc-status/bb: True Mirrored mc-status/bb-federated",
    ]);
  });

  it("loses its last entry with the last member", async () => {
    await relabel(world.kube.north, key("bb"), { "mirror.linkerd.io/federated": null });
    await stack.up();
    assert.deepEqual((await statusOf("north")).federatedServices, []);
  });

  it("says to each member's Link that a Service of somebody else has the name", async () => {
    const { west, east } = world.kube;
    await create(west, [service(key("own-federated"), {})]);
    await create(east, [service(key("own"), { labels: member })]);
    await stack.up();
    const { federatedServices: list = [] } = await statusOf("east");
    assert.deepEqual(summary(list), [
      "mc-status/bb: True Mirrored mc-status/bb-federated",
      "mc-status/own: False Error",
    ]);
    assert.match(list[1]?.conditions?.[0]?.message ?? "", /^west already has a foreign Service/);
  });

  it("says Error of what could not be written, until it can", async () => {
    await create(world.kube.east, [service(key("late"), { labels: member })]);
    await exhaustQuota();
    const { text } = await stack.up({ fails: true });
    const reason = text
      .split("\n")
      .find((line) => line.includes("create Service mc-status/late-federated"));
    assert.match(text, /everything else is done, and the next pulumi up retries these$/);
    const failed = (await statusOf("east")).federatedServices ?? [];
    assert.deepEqual(summary(failed), [
      "mc-status/bb: True Mirrored mc-status/bb-federated",
      "mc-status/late: False Error",
      "mc-status/own: False Error",
    ]);
    assert.equal(failed[1]?.conditions?.[0]?.message, reason);
    assert.equal((await world.bed.clusters.west.request("DELETE", quota)).code, 200);
    await until("the end of the quota", [], async () => !(await isExhausted()) || undefined);
    await stack.up();
    assert.match(summary((await statusOf("east")).federatedServices).join(), /late: True Mirrored/);
  });

  it("is no matter where there is no Link resource", async () => {
    await world.bed.clusters.west.request("DELETE", `${linksPath}/north`);
    await relabel(world.kube.north, key("bb"), { any: "thing" });
    await stack.up();
    await stack.assertSettled();
  });

  it("of more mirrors than there is room for is written once, and is no reason to be left out", async () => {
    const names = Array.from({ length: 2_000 }, (_, index) => `many-${index}`);
    await create(
      world.kube.east,
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
      (await world.kube.west.list(resources.services))
        .map(({ metadata }) => metadata.name)
        .filter((name) => name.startsWith("many-")),
      [],
    );
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
    const { code } = await world.bed.clusters.west.request(
      "PATCH",
      `${linksPath}/${link}/status`,
      body,
    );
    assert.equal(code, 200);
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

/** The Links whose status was patched. */
function patchedLinks(requests: readonly AuditedRequest[]): string[] {
  const patches = requests.filter(({ resource }) => resource === "links/status");
  return [...new Set(patches.map(({ name }) => name))].sort();
}
