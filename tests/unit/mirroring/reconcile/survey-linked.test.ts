import { deepEqual } from "node:assert/strict";
import type { Service } from "../../../../engine/kubernetes/objects.ts";
import type { ClusterSnapshot } from "../../../../engine/mirroring/model/snapshot.ts";
import { annotation, gatewayPort, label } from "../../../../engine/mirroring/model/vocabulary.ts";
import type { FederatedArgs, MirrorsArgs } from "../../../../engine/mirroring/reconcile/state.ts";
import {
  surveyFederatedLinked,
  surveyLinked,
} from "../../../../engine/mirroring/reconcile/survey-linked.ts";
import type { Snapshots } from "../../../../engine/mirroring/reconcile/survey.ts";
import { cluster, endpoints, exported, pods, service } from "../../fixtures/objects.ts";

const namespace = "linkerd-multicluster";
const clusters = { west: { context: "west" }, east: { context: "east" } };
const seen = { addresses: ["192.0.2.1"], port: 4143, identity: "gateway.west" };
const args: MirrorsArgs = {
  link: { source: "east", target: "west" },
  clusters,
  statusIn: namespace,
  gatewaySeen: seen,
};
const federatedArgs: FederatedArgs = {
  ...{ cluster: "east", clusters, statusIn: namespace },
  links: [{ source: "east", target: "west" }],
};

const link = {
  metadata: { namespace, name: "west", resourceVersion: "1", uid: "1", creationTimestamp: "" },
};
const withLink = { ...eastern(), links: new Map([[`${namespace}/west` as const, link]]) };
const withoutLink = { ...eastern(), links: new Map() };

describe("surveys of links that this very run may have made", () => {
  it("do with what all links share where that knows of everything", async () => {
    deepEqual(await readings(args, [withLink], [western("192.0.2.1")]), []);
    deepEqual(await readings(federatedArgs, [withLink], [western("192.0.2.1")]), []);
  });

  it("see the Link resource of this run, and so keep its status", async () => {
    deepEqual(await readings(args, [withoutLink, withLink], [western("192.0.2.1")]), both);
    deepEqual(await readings(federatedArgs, [withoutLink, withLink], [western("192.0.2.1")]), [
      "east",
    ]);
  });

  it("see the gateway where this run has put it", async () => {
    const west = western("192.0.2.1");
    for (const before of [western("192.0.2.9"), cluster("west"), western("192.0.2.1", 31000)]) {
      const lines: string[] = [];
      deepEqual(await readings(args, [withLink], [before, west], lines), both);
      deepEqual(lines, ["192.0.2.1"]);
    }
  });

  it("look no further where the link has no gateway, or is not this stack's", async () => {
    const none = [cluster("west")];
    const flat = { ...args, link: { ...args.link, gateway: false as const } };
    deepEqual(await readings(flat, [withLink], none), []);
    const { statusIn, gatewaySeen, ...mirrorsOnly } = args;
    deepEqual([statusIn, gatewaySeen], [namespace, seen]);
    deepEqual(await readings(mirrorsOnly, [withoutLink], none), []);
    const { statusIn: _, ...federatedOnly } = federatedArgs;
    deepEqual(await readings(federatedOnly, [withoutLink], none), []);
  });

  it("look once more, and not for ever, where something stays away", async () => {
    deepEqual(
      await readings(args, [withoutLink, withoutLink], [cluster("west"), cluster("west")]),
      both,
    );
  });
});

const both = ["east", "west"];

/**
 * Clusters that were read once more.
 *
 * @param gateways takes the gateway's addresses as the survey has found them
 */
async function readings(
  of: MirrorsArgs | FederatedArgs,
  east: readonly ClusterSnapshot[],
  west: readonly ClusterSnapshot[],
  gateways: string[] = [],
): Promise<string[]> {
  const again: string[] = [];
  const versions: Readonly<Record<string, readonly ClusterSnapshot[]>> = { east, west };
  const latest = (name: string): ClusterSnapshot => {
    const [first, second] = versions[name] ?? [];
    const snapshot = again.includes(name) ? (second ?? first) : first;
    if (snapshot === undefined) throw new Error(`nothing of ${name}`);
    return snapshot;
  };
  const world: Snapshots = {
    snapshot: (name) => Promise.resolve(latest(name)),
    anew: (name) => {
      again.push(name);
      return Promise.resolve(latest(name));
    },
    resolve: () => Promise.resolve([]),
  };
  const survey =
    "cluster" in of ? await surveyFederatedLinked(world, of, {}) : await surveyLinked(world, of);
  if (survey.outcome !== "planned") throw new Error(survey.outcome);
  if (survey.facts.gateway !== undefined) gateways.push(survey.facts.gateway.addresses);
  return again;
}

function eastern(): ClusterSnapshot {
  return cluster("east", { namespaces: ["shop"] });
}

function western(ip: string, port = 4143): ClusterSnapshot {
  const gateway: Service = {
    ...service(
      "linkerd-multicluster/linkerd-gateway",
      { annotations: { [annotation.gatewayIdentity]: "gateway.west" } },
      { type: "LoadBalancer", ports: [{ name: gatewayPort, port }] },
    ),
    status: { loadBalancer: { ingress: [{ ip }] } },
  };
  return cluster("west", {
    services: [
      gateway,
      exported("shop/web"),
      service("shop/api", { labels: { [label.federated]: "member" } }),
    ],
    endpoints: [endpoints("shop/web", [pods([""])])],
  });
}
