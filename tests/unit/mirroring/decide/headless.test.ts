import { deepEqual } from "node:assert/strict";
import type { LinkSpec } from "../../../../engine/model/link.ts";
import type { Mirror } from "../../../../engine/model/mirror.ts";
import type { EndpointSubset } from "../../../../engine/kubernetes/objects/objects.ts";
import { hostSubsets } from "../../../../engine/model/headless.ts";
import { wanted, west, nothingWanted } from "../../fixtures/link.ts";
import { endpoints, headless, http, podPorts, pods } from "../../fixtures/objects.ts";
import { testScenarios } from "../../fixtures/scenario.ts";

const remoteName = "mirror.linkerd.io/remote-svc-fq-name";
const identity = { "mirror.linkerd.io/remote-gateway-identity": "gateway.west" };
const version = "mirror.linkerd.io/remote-resource-version";
const opaque = { "config.linkerd.io/opaque-ports": "3306" };
const db = headless("shop/db", {
  labels: { app: "db" },
  annotations: { team: "shop", ...opaque },
});
const owner = {
  "mirror.linkerd.io/cluster-name": "west",
  "mirror.linkerd.io/mirrored-service": "true",
};
const metrics = [{ name: "metrics", protocol: "TCP", port: 9090 }];

function withPods(subsets: readonly EndpointSubset[], readiness: LinkSpec["readiness"] = "follow") {
  const named = endpoints("shop/db", subsets, { resourceVersion: "7" });
  return wanted({ target: west([db], [named]), link: { readiness } });
}

/** The headless mirror, whose Endpoints lead to the mirrors of these pods and never to the gateway. */
function root(...pods: [ports: EndpointSubset["ports"], ...hostnames: string[]][]): Mirror {
  const name = { [remoteName]: "db.shop.svc.cluster.local" };
  const labels = { app: "db", ...owner };
  return {
    kind: "headless",
    namespace: "shop",
    name: "db-west",
    origin: "shop/db",
    ports: [http],
    labels,
    annotations: { team: "shop", ...opaque, ...name, [version]: "1" },
    endpoints: {
      labels,
      annotations: { ...name, ...identity },
      subsets: pods.map(([ports = [], ...hostnames]) => ({
        addresses: hostnames.map((hostname) => ({
          hostname,
          endpointMirror: `shop/${hostname}-west`,
        })),
        ports,
      })),
    },
  };
}

function podMirror(hostname: string): Mirror {
  const root = { "mirror.linkerd.io/headless-mirror-svc-name": "db-west" };
  const labels = { app: "db", ...owner, ...root };
  const name = { [remoteName]: `${hostname}.db.shop.svc.cluster.local` };
  const toGateway = {
    addresses: [{ ip: "192.0.2.10" }],
    ports: [{ name: "http", protocol: "TCP", port: 4143 }],
  };
  return {
    kind: "endpoint",
    namespace: "shop",
    name: `${hostname}-west`,
    origin: "shop/db",
    hostname,
    labels,
    annotations: { ...opaque, ...name, [version]: "7" },
    ports: [http],
    endpoints: { labels, annotations: { ...name, ...identity }, subsets: [toGateway] },
  };
}

describe("a headless mirror (linkerd-behaviour.md 3.2 - 3.4)", () => {
  const one = [root([podPorts, "db-0"]), podMirror("db-0")];
  const both = [root([podPorts, "db-0", "db-1"]), podMirror("db-0"), podMirror("db-1")];
  type Row = [string, readonly EndpointSubset[], LinkSpec["readiness"], readonly Mirror[]];
  const rows: Row[] = [
    ["names its pods, each of which has a mirror", [pods(["db-1", "db-0"])], "follow", both],
    [
      "keeps the subsets of the target, each with the ports of its pods",
      [pods(["db-0"]), pods(["db-0", "db-1"], [], metrics)],
      "follow",
      [root([podPorts, "db-0"], [metrics, "db-0", "db-1"]), podMirror("db-0"), podMirror("db-1")],
    ],
    [
      "leaves out pods without a name, and subsets that have no other",
      [pods(["", "db-0"]), pods([""], [], metrics)],
      "follow",
      one,
    ],
    ["leaves out pods that are not ready", [pods(["db-0"], ["db-1"])], "follow", one],
    ["names those as well, with readiness: ignore", [pods(["db-1"], ["db-0"])], "ignore", both],
    ["leads nowhere while no pod is ready", [pods([], ["db-0"])], "follow", [root()]],
    ["names a pod once that is listed twice", [pods(["db-0", "db-0"], ["db-0"])], "ignore", one],
  ];
  for (const [rule, subsets, readiness, mirrors] of rows)
    it(rule, () => {
      deepEqual(withPods(subsets, readiness), { ...nothingWanted, mirrors });
    });

  it("leaves out a pod whose mirror's name would be too long or begin with a digit", () => {
    const long = "d".repeat(59);
    const { mirrors, skips } = withPods([pods(["db-0", long, "3q-0"]), pods([long])]);
    deepEqual(mirrors, one);
    deepEqual(
      skips.map(({ reason, origin, hostname, mirror }) => [reason, origin, hostname, mirror]),
      [
        ["InvalidName", "shop/db", "3q-0", "3q-0-west"],
        ["NameTooLong", "shop/db", long, `${long}-west`],
      ],
    );
  });
});

describe("pods that come and go (linkerd-behaviour.md 3.4)", () => {
  testScenarios(`
west: a/db(headless db-0) b/db(headless db-0 db-1); link west: { readiness: follow }
+ headless a/db-west, endpoint a/db-0-west, headless b/db-west, endpoint b/db-0-west, endpoint b/db-1-west
# add and remove their mirrors in their own namespace only, and the root follows
west: a/db(headless db-0 db-1) b/db(headless db-1)
+ endpoint a/db-1-west
~ headless a/db-west
- endpoint b/db-0-west
~ headless b/db-west
# leave the root without endpoints once all are gone
west: a/db(headless listed) b/db(headless db-0 db-1)
- endpoint a/db-0-west
~ headless a/db-west
`);
});

it("subsets without a hostname name no pods, and an empty hostname is none", () => {
  const subsets = [pods(["", ""]), pods(["db-1", "", "db-0"], ["db-2"], metrics), {}];
  deepEqual(hostSubsets(endpoints("shop/db", subsets), "follow"), [
    { hostnames: ["db-0", "db-1"], ports: metrics },
  ]);
  deepEqual(hostSubsets(endpoints("shop/db"), "ignore"), []);
});
