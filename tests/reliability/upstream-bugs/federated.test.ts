import { deepEqual, equal } from "node:assert/strict";
import type { Service } from "../../../engine/kubernetes/objects.ts";
import { listed, member } from "../../unit/fixtures/federation.ts";
import { MemoryCluster } from "../../unit/fixtures/memory-cluster.ts";
import { cluster, exported, http } from "../../unit/fixtures/objects.ts";
import { argsFor, linkObject } from "../../unit/fixtures/world.ts";
import { Runs, target } from "./runs.ts";

const args = argsFor(["west", "north"]);

/** The source with a Link to `north` that is older than the one to `west`. */
function source(...services: Service[]): MemoryCluster {
  const created = (name: string, creationTimestamp: string) => {
    const object = linkObject(name);
    return { ...object, metadata: { ...object.metadata, creationTimestamp } };
  };
  const snapshot = cluster("east", { services, namespaces: ["shop"] });
  const links = [created("west", "2024-02-01T00:00:00Z"), created("north", "2024-01-01T00:00:00Z")];
  return new MemoryCluster(snapshot, { links });
}

async function members(runs: Runs): Promise<string | undefined> {
  return listed("shop/bb", await runs.east.snapshot());
}

const bb = member("shop/bb");

describe("bugs of Linkerd's controller: federated Services", () => {
  it("linkerd2#13269: members join and leave, and the last takes the Service along", async () => {
    const runs = new Runs(source(bb));
    await runs.up([target("west", [bb]), target("north", [])], args);
    equal(await members(runs), "bb@west local bb");
    await runs.up([target("north", [bb])], args);
    equal(await members(runs), "bb@west,bb@north local bb");
    await runs.up([target("west", [])], args);
    equal(await members(runs), "bb@north local bb");

    const remote = new Runs(source());
    await remote.up([target("west", [bb]), target("north", [])], args);
    await remote.up([target("west", [])], args);
    deepEqual(await remote.mirrors(), []);
  });

  it("linkerd2#13269: a Service that is exported too joins in the same run", async () => {
    const both = exported("shop/bb", { labels: { "mirror.linkerd.io/federated": "member" } });
    const runs = new Runs(source());
    await runs.up([target("west", [both]), target("north", [])], args);
    deepEqual(await runs.mirrors(), ["shop/bb-federated", "shop/bb-west"]);
    equal(await members(runs), "bb@west");
  });

  it("linkerd2#13269: what a Service says of discovery in its own cluster is not taken over by any mirror", async () => {
    const annotations = {
      "multicluster.linkerd.io/remote-discovery": "bb@south",
      "multicluster.linkerd.io/local-discovery": "other",
    };
    const labels = { "mirror.linkerd.io/federated": "member" };
    const runs = new Runs(source());
    const both = exported("shop/bb", { labels, annotations });
    await runs.up([target("west", [both]), target("north", [])], args);
    equal(await members(runs), "bb@west");
    const { metadata } = await runs.service("shop/bb-west");
    deepEqual(
      Object.keys(metadata.annotations ?? {}).filter((key) => key in annotations),
      [],
    );
  });

  it("linkerd2#13783: labels and ports follow the member whose Link is the oldest, and its changes", async () => {
    const version = (name: string, port = 80) =>
      member("shop/bb", { labels: { version: name } }, { ports: [{ ...http, port }] });
    const runs = new Runs(source());
    const seen = async () => {
      const { metadata, spec } = await runs.service("shop/bb-federated");
      return [metadata.labels?.version, spec.ports?.map(({ port }) => port)];
    };
    await runs.up([target("west", [version("of west", 81)]), target("north", [])], args);
    deepEqual(await seen(), ["of west", [81]]);
    await runs.up([target("north", [version("of north", 82)])], args);
    deepEqual(await seen(), ["of north", [82]]);
    await runs.up([target("north", [version("of north, later", 83)])], args);
    deepEqual(await seen(), ["of north, later", [83]]);
    await runs.up([target("west", [version("of west, later", 84)])], args);
    deepEqual(await seen(), ["of north, later", [83]]);
    await runs.up([target("north", [])], args);
    deepEqual(await seen(), ["of west, later", [84]]);
  });

  it("linkerd2#13783: the local member comes before every Link", async () => {
    const runs = new Runs(source(member("shop/bb", { labels: { version: "local" } })));
    const remote = member("shop/bb", { labels: { version: "of north" } });
    await runs.up([target("west", []), target("north", [remote])], args);
    equal((await runs.service("shop/bb-federated")).metadata.labels?.version, "local");
  });
});
