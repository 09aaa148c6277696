import { deepEqual, equal } from "node:assert/strict";
import type { Service } from "../../../../engine/kubernetes/objects.ts";
import type { ClusterSnapshot } from "../../../../engine/mirroring/model/snapshot.ts";
import { label } from "../../../../engine/mirroring/model/vocabulary.ts";
import { foreseen } from "../../../../engine/mirroring/reconcile/preview-without-gateway.ts";
import type { MirrorsArgs } from "../../../../engine/mirroring/reconcile/state.ts";
import type { Snapshots } from "../../../../engine/mirroring/reconcile/survey.ts";
import { unknownValue } from "../../../../engine/mirroring/reconcile/unknown.ts";
import { cluster, endpoints, exported, pods, service } from "../../fixtures/objects.ts";

const args: MirrorsArgs = {
  link: { source: "east", target: "west" },
  clusters: { west: { context: "west" }, east: { context: "east" } },
  statusIn: "linkerd-multicluster",
  gatewaySeen: unknownValue,
};
const west = cluster("west", {
  services: [exported("shop/web"), exported("elsewhere/api")],
  endpoints: [endpoints("shop/web", [pods([""])])],
});

describe("mirrors of a link whose gateway this run is yet to make", () => {
  it("are shown in the preview, and so is what is not mirrored", async () => {
    deepEqual(await foreseen(world(east()), args), {
      mirrors: { "shop/web-west": "gateway mirror of web: http 80→8080/TCP" },
      notMirrored: {
        "elsewhere/api":
          "MissingNamespace: east has no namespace elsewhere: create it there, or set createNamespaces on the link",
      },
    });
  });

  it("are not shown where some are there, as nothing could be said of these", async () => {
    const labels = { [label.mirrored]: "true", [label.cluster]: "west" };
    equal(await foreseen(world(east(service("shop/web-west", { labels }))), args), undefined);
    equal(await foreseen(world(east(service("shop/old-west", { labels }))), args), undefined);
  });

  it("are not shown where a cluster can't be read, or more than the gateway is unknown", async () => {
    equal(await foreseen(world(undefined), args), undefined);
    equal(await foreseen(world(east()), { ...args, statusIn: unknownValue }), undefined);
    const known = { addresses: ["192.0.2.1"], port: 4143, identity: "gateway.west" };
    equal(await foreseen(world(east()), { ...args, gatewaySeen: known }), undefined);
  });
});

function east(...services: readonly Service[]): ClusterSnapshot {
  return cluster("east", { namespaces: ["shop"], services });
}

function world(source: ClusterSnapshot | undefined): Snapshots {
  const snapshot = (name: string) => {
    const found = name === "west" ? west : source;
    return found === undefined ? Promise.reject(new Error("no route")) : Promise.resolve(found);
  };
  return { snapshot, anew: snapshot, resolve: () => Promise.resolve([]) };
}
