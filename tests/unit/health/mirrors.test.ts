import { deepEqual, match } from "node:assert/strict";
import {
  gatewayAlive,
  gatewayKnown,
  mirrorsHaveEndpoints,
} from "../../../engine/health/checks/endpoints.ts";
import { mirrorsInOrder } from "../../../engine/health/checks/mirrors.ts";
import type { Endpoints, Service } from "../../../engine/kubernetes/objects/objects.ts";
import type { ClusterSnapshot } from "../../../engine/mirroring/model/snapshot.ts";
import { label } from "../../../engine/mirroring/model/vocabulary.ts";
import { gateway } from "../fixtures/link.ts";
import { cluster, endpoints, exported, pods, service } from "../fixtures/objects.ts";
import { planned } from "../fixtures/reconcile.ts";
import { east, linkReading, linkView, outOfReach, reading, said, west } from "./views.ts";

describe("health of a link: the gateway", () => {
  it("is in order", () => {
    deepEqual(said(gatewayKnown, linkView()), []);
  });

  it("says what is missing, and what is passed over", () => {
    const told = (gateway: ReturnType<typeof linkReading>["gateway"]) =>
      said(gatewayKnown, linkView({ reading: linkReading({ gateway }) }));
    deepEqual(told({ value: { known: false, why: "it has no address" } }), [
      "error: it has no address",
    ]);
    const warnings = ["one address is left out"];
    deepEqual(told({ value: { known: true, gateway, warnings } }), [
      "warning: one address is left out",
    ]);
  });

  it("is skipped on a flat network and for a target out of reach", () => {
    deepEqual(said(gatewayKnown, linkView({ link: { gateway: false } })), [
      "skipped: the link has no gateway (gateway: false)",
    ]);
    deepEqual(said(gatewayKnown, linkView({ target: outOfReach })), [
      "skipped: cluster west can't be read",
    ]);
  });
});

describe("health of a link: whether its gateway is alive", () => {
  const probe = { path: "/ready", port: 4191, period: "3s", threshold: 3 };
  const link = { gatewayProbe: true };
  const told = (found: Partial<typeof gateway>) => {
    const value = { known: true, gateway: { ...gateway, ...found }, warnings: [] } as const;
    return said(gatewayAlive, linkView({ link, reading: linkReading({ gateway: { value } }) }));
  };

  it("is in order while it answers", () => {
    deepEqual(told({ probe }), []);
  });

  it("says what a gateway that is down does not answer, and why", () => {
    deepEqual(told({ probe: { ...probe, down: "HTTP status 503" } }), [
      "error: the gateway of west fails its probe /ready at port 4191 (HTTP status 503), so mirrors lead nowhere: see to its pods, and that this machine reaches it",
    ]);
  });

  it("is skipped where nobody knows how, and for a target out of reach", () => {
    deepEqual(told({}), ["skipped: it is not known how to probe it"]);
    deepEqual(said(gatewayAlive, linkView({ link, target: outOfReach })), [
      "skipped: cluster west can't be read",
    ]);
  });
});

describe("health of a link: its mirrors are as planned", () => {
  const found = (target: ClusterSnapshot, source: ClusterSnapshot) => {
    const mirrors = { value: planned({ target, source }).decisions };
    return said(mirrorsInOrder, linkView({ reading: linkReading({ mirrors }) }));
  };

  it("is in order", () => {
    deepEqual(said(mirrorsInOrder, linkView()), []);
  });

  it("names what is missing, what was changed and what was left behind", () => {
    const empty = cluster("east", { namespaces: ["shop"] });
    deepEqual(found(west, empty), [
      "error: gateway mirror east/shop/web-west is missing: run pulumi up",
    ]);
    deepEqual(found(cluster("west", { namespaces: ["shop"] }), east), [
      "error: gateway mirror east/shop/web-west is left over, since no exported Service needs it: run pulumi up",
    ]);
    const moved = exported("shop/web", {}, { ports: [{ name: "http", port: 81 }] });
    const changed = cluster("west", { services: [moved], endpoints: [...west.endpoints.values()] });
    const [line = "", ...more] = found(changed, east);
    deepEqual(more, []);
    match(
      line,
      /^error: gateway mirror east\/shop\/web-west differs from what it should be \(.*ports: .* → .*\): run pulumi up$/,
    );
  });

  it("warns of what is exported and can't be mirrored", () => {
    const [line = "", ...more] = found(west, cluster("east", { namespaces: [] }));
    deepEqual(more, []);
    match(line, /^warning: west\/shop\/web is not mirrored: .*namespace shop/);
  });

  it("passes on what keeps the engine from planning", () => {
    const told = (reading: Parameters<typeof linkReading>[0]) =>
      said(mirrorsInOrder, linkView({ reading: linkReading(reading) }));
    deepEqual(told({ mirrors: { value: undefined } }), [
      "skipped: a cluster that it takes can't be read",
    ]);
    deepEqual(told({ mirrors: { why: "broken" } }), ["error: broken"]);
  });

  it("is left to Linkerd's controller", () => {
    const { mirrors: _none, ...without } = linkReading();
    deepEqual(said(mirrorsInOrder, linkView({ mirroring: "controller", reading: without })), [
      "skipped: Linkerd's controller does the mirroring (mirroring: controller)",
    ]);
  });
});

describe("health of a link: its mirrors lead somewhere", () => {
  const labels = { [label.mirrored]: "true", [label.cluster]: "west" };
  const found = (
    services: readonly Service[],
    there: readonly Endpoints[],
    more: Parameters<typeof linkView>[0] = {},
  ) => {
    const source = cluster("east", { services, endpoints: there });
    return said(mirrorsHaveEndpoints, linkView({ source: reading(source), ...more }));
  };
  const stuck = (key: string) =>
    `error: mirror east/${key} has no endpoints, so nothing can connect to it: run pulumi up, and check that the gateway of west has an address`;

  it("is in order", () => {
    deepEqual(said(mirrorsHaveEndpoints, linkView()), []);
  });

  it("names a mirror without Endpoints, and one whose Endpoints are empty", () => {
    const mirrors = [service("shop/web-west", { labels })];
    deepEqual(found(mirrors, []), [stuck("shop/web-west")]);
    deepEqual(found(mirrors, [endpoints("shop/web-west", [])]), [stuck("shop/web-west")]);
  });

  it("passes over what needs none: other links' mirrors, probes, and what Linkerd looks up itself", () => {
    const others = [
      service("shop/web-north", { labels: { ...labels, [label.cluster]: "north" } }),
      service("shop/probe", { labels: { ...labels, [label.mirroredGateway]: "true" } }),
      service("shop/api-west", { labels: { ...labels, [label.remoteDiscovery]: "west" } }),
      service("shop/web-federated", {
        labels: { [label.mirrored]: "true" },
        annotations: { "multicluster.linkerd.io/remote-discovery": "web@west" },
      }),
      service("shop/mine"),
    ];
    deepEqual(found(others, []), []);
  });

  it("only warns of a mirror that follows what has no ready pod", () => {
    const target = cluster("west", {
      services: [exported("shop/web"), exported("shop/db")],
      endpoints: [endpoints("shop/web", [pods([], [""])])],
    });
    const root = { ...labels, [label.headlessRoot]: "db-west" };
    const web = service("shop/web-west", { labels });
    const db = service("shop/db-0-west", { labels: root });
    const silent = (key: string, origin: string) =>
      `warning: mirror east/${key} has no endpoints, because west/${origin} has no ready pod: start one there`;
    const both = [silent("shop/web-west", "shop/web"), silent("shop/db-0-west", "shop/db")];
    const there = { target: reading(target) };
    deepEqual(found([web, db], [], { ...there, mirroring: "controller" }), both);
    deepEqual(found([web, db], [], { ...there, link: { readiness: "follow" } }), both);
    deepEqual(found([web], [], there), [stuck("shop/web-west")]);
    const headless = service("shop/db-west", { labels }, { clusterIP: "None" });
    deepEqual(found([headless], [], there), [silent("shop/db-west", "shop/db")]);
  });

  it("is skipped for a source out of reach, and needs no target", () => {
    deepEqual(said(mirrorsHaveEndpoints, linkView({ source: outOfReach })), [
      "skipped: cluster east can't be read",
    ]);
    deepEqual(said(mirrorsHaveEndpoints, linkView({ target: outOfReach })), []);
  });
});
