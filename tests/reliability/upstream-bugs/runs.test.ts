import { deepEqual, equal, match, rejects } from "node:assert/strict";
import type { Service } from "../../../engine/kubernetes/objects.ts";
import { resources } from "../../../engine/kubernetes/resources.ts";
import { failing } from "../../unit/fixtures/failing.ts";
import { MemoryCluster } from "../../unit/fixtures/memory-cluster.ts";
import { cluster, exported, service } from "../../unit/fixtures/objects.ts";
import { settled, unreachable } from "../../unit/fixtures/settled.ts";
import { argsFor, controller, destroy, made, preview, up } from "../../unit/fixtures/world.ts";
import { Runs, target, toWest } from "./runs.ts";
import { status, withCluster } from "../../unit/kubernetes/scripted-cluster.ts";

const web = exported("shop/web");

/** What stands for a gateway in the source, by which Linkerd's controller probes it. */
const probe: Service = service("linkerd-multicluster/probe-west", {
  labels: {
    "mirror.linkerd.io/mirrored-service": "true",
    "mirror.linkerd.io/mirrored-gateway": "true",
    "mirror.linkerd.io/cluster-name": "west",
  },
});

describe("bugs of Linkerd's controller: lists, clean-up and failures", () => {
  it("linkerd2 edge-20.5.4: clean-up leaves the Services by which gateways are probed", async () => {
    const snapshot = cluster("east", { services: [probe], namespaces: ["shop"] });
    const runs = new Runs(new MemoryCluster(snapshot));
    const inputs = await runs.up([target("west", [web])]);
    await runs.up([target("west", [])]);
    deepEqual(await runs.mirrors(), ["linkerd-multicluster/probe-west"]);
    await destroy(runs.clusters, inputs);
    deepEqual(await runs.mirrors(), ["linkerd-multicluster/probe-west"]);
  });

  for (const list of ["list namespaces", "list services", "list endpoints"])
    for (const failed of ["west", "east"] as const) {
      it(`linkerd2#12406: a failed ${list} of ${failed} deletes nothing, and is told`, async () => {
        const { clusters, args, before } = await settled();
        const gone = { ...clusters, west: target("west", []) };
        const plan = await preview(gone, args, before);
        gone[failed].refuse = (line) => (line === list ? failing("server", failed) : undefined);
        // Before it is planned, and between the plan and the writes.
        const { inputs, notes } = await preview(gone, args, before);
        deepEqual(inputs.unreachable, [failed]);
        match(notes.join("\n"), new RegExp(`cluster ${failed}`));
        await made(gone, inputs).catch(() => undefined);
        const failures = await made(gone, plan.inputs).catch((error: unknown) => [String(error)]);
        match(failures.join(), new RegExp(`cluster ${failed}`));
        gone[failed].refuse = () => undefined;
        const { services } = await clusters.east.snapshot();
        equal(services.has("shop/web-west"), true);
        await up(gone, args, before);
        equal((await clusters.east.snapshot()).services.has("shop/web-west"), false);
      });
    }

  it("linkerd2 edge-20.10.1: a target out of reach holds up no other, and catches up when it is back", async () => {
    const runs = new Runs();
    const args = argsFor(["west", "north"]);
    await runs.up([unreachable("west"), target("north", [web])], args);
    deepEqual(await runs.mirrors(), ["shop/web-north"]);
    await runs.up([target("west", [web])], args);
    deepEqual(await runs.mirrors(), ["shop/web-north", "shop/web-west"]);
  });

  it("linkerd2#5969: a request that always fails is given up, and the next run makes up for it", async () => {
    await withCluster(
      () => status(500, "InternalError", "etcd is away"),
      async ({ client, received }) => {
        await rejects(client.create(resources.services, web));
        equal(received.length < 10, true);
      },
    );
    const runs = new Runs();
    runs.east.refuse = (line) =>
      line.startsWith("create services") ? failing("server", "east") : undefined;
    await rejects(runs.up([target("west", [web])]));
    runs.east.refuse = () => undefined;
    await runs.up([]);
    deepEqual(await runs.mirrors(), ["shop/web-west"]);
  });

  it("linkerd2#13579: a run that has written a Link's status gives the next one nothing to do", async () => {
    const { runs, args, first } = await withStatus(web);
    const { metadata, status: written } = await linkOf(runs);
    const { revision } = await runs.up([], args);
    const link = await linkOf(runs);
    deepEqual([link.metadata.resourceVersion, link.status], [metadata.resourceVersion, written]);
    equal(revision, first.revision);
  });

  it("linkerd2#13420: a status is written past a Link that has changed since it was read, and leaves the rest alone", async () => {
    const { runs, args } = await withStatus();
    const link = await linkOf(runs);
    const spec = { targetClusterName: "west", gatewayAddress: "192.0.2.99" };
    let changed: Promise<unknown> = Promise.resolve();
    runs.east.refuse = (line) => {
      if (line === "create services shop/web-west")
        changed = runs.east.replace(resources.links, { ...link, spec });
      return undefined;
    };
    await runs.up([target("west", [web])], args);
    await changed;
    const { spec: left, status: written } = await linkOf(runs);
    deepEqual(left, spec);
    deepEqual(
      written?.mirrorServices?.map(({ remoteRef }) => remoteRef.name),
      ["web"],
    );
  });

  it("linkerd2#14433: a status that says of a missing namespace names no mirror, as the Link's schema has it", async () => {
    const federated = { labels: { "mirror.linkerd.io/federated": "member" } };
    const { runs } = await withStatus(exported("lost/web"), service("lost/bb", federated), web);
    const { status: written = {} } = await linkOf(runs);
    const lists = { ...written };
    const said = Object.entries(lists).flatMap(([list, entries = []]) =>
      entries.flatMap(({ remoteRef, conditions = [] }) =>
        conditions.map(({ reason, localRef }) => [
          `${list} ${remoteRef.namespace}/${remoteRef.name} ${reason}`,
          localRef === undefined ? undefined : `${localRef.namespace}/${localRef.name}`,
        ]),
      ),
    );
    deepEqual(said.sort(), [
      ["federatedServices lost/bb MissingNamespace", undefined],
      ["mirrorServices lost/web MissingNamespace", undefined],
      ["mirrorServices shop/web Mirrored", "shop/web-west"],
    ]);
  });

  it("linkerd2#13874: a link that goes over to Linkerd's controller leaves its mirrors to it", async () => {
    const { clusters, before } = await settled();
    const rest = argsFor(["north"], { controllerLinks: ["west"] });
    await up(clusters, rest, before);
    deepEqual((await clusters.east.snapshot()).services.has("shop/web-west"), true);
    // Also where the config has already forgotten the link, and a controller has it.
    const east = new MemoryCluster(await clusters.east.snapshot(), {
      deployments: [controller("west")],
    });
    await up({ ...clusters, east }, argsFor(["north"]), before);
    deepEqual((await east.snapshot()).services.has("shop/web-west"), true);
  });
});

/** The source after a run that keeps the status of the Link to `west`. */
async function withStatus(...services: Service[]) {
  const link = {
    metadata: { namespace: "linkerd-multicluster", name: "west" },
    spec: { targetClusterName: "west", gatewayAddress: "192.0.2.10" },
  };
  const snapshot = cluster("east", { namespaces: ["shop"] });
  const runs = new Runs(new MemoryCluster(snapshot, { links: [link] }));
  const args = toWest({}, { statusIn: "linkerd-multicluster" });
  const first = await runs.up([target("west", services)], args);
  return { runs, args, first };
}

function linkOf({ east }: Runs) {
  return east.get(resources.links, { namespace: "linkerd-multicluster", name: "west" });
}
