import { match } from "node:assert/strict";
import {
  gatewayAlive,
  gatewayKnown,
  gatewayRedundant,
  mirrorsHaveEndpoints,
} from "../../../engine/health/checks/endpoints.ts";
import { mirrorsInOrder } from "../../../engine/health/checks/mirrors.ts";
import type { LinkReading } from "../../../engine/reading/reading.ts";
import type { GatewayReading } from "../../../engine/model/gateway.ts";
import type { Endpoints, Service } from "../../../engine/kubernetes/objects/objects.ts";
import type { ClusterSnapshot } from "../../../engine/model/snapshot.ts";
import { label } from "../../../engine/model/vocabulary.ts";
import { gateway } from "../fixtures/link.ts";
import { cluster, endpoints, exported, pods, service } from "../fixtures/objects.ts";
import { planned, reconciled } from "../fixtures/reconcile.ts";
import { east, linkReading, linkView, reading, said, tellsOf, unread, west } from "./views.ts";

const link = { names: "{target}-{service}" };
const renamed = await reconciled({ target: west, source: east, link });

describe("health of a link: the gateway", () => {
  const tells = tellsOf(gatewayKnown);
  const found = (of: GatewayReading) => linkView({ reading: linkReading({}, of) });

  tells("fails with what it lacks", found(unread("it has no address")), [
    "error: it has no address",
  ]);
  const warned = found({ value: { gateway, warnings: ["one address is left out"] } });
  tells("warns of addresses that are left out", warned, ["warning: one address is left out"]);
  tells("is skipped on a flat network", linkView({ link: { gateway: false } }), [
    "skipped: the link has no gateway (gateway: false)",
  ]);
});

describe("health of a link: whether its gateway is alive", () => {
  const tells = tellsOf(gatewayAlive);
  const probe = { path: "/ready", port: 4191, milliseconds: 1 };
  const link = { gatewayProbe: true };
  const probed = (found: Pick<LinkReading, "probe">) =>
    linkView({ link, reading: linkReading(found) });
  const down = { ...probe, down: "HTTP status 503" };

  tells("passes if it answers its probe", probed({ probe }));
  tells("fails with the probe and the reason if it does not answer", probed({ probe: down }), [
    "error: the gateway of west fails its probe /ready at port 4191 (HTTP status 503), so requests to its mirrors fail: check its pods, and that this machine can reach it",
  ]);
  tells("is skipped if it announces no probe", probed({ probe: { why: "no path" } }), [
    "skipped: no path",
  ]);

  const ofProber = (found: LinkReading["probe"]) =>
    linkView({ link: { prober: "x" }, reading: linkReading({ ...(found && { probe: found }) }) });
  tells("passes if the prober says so", ofProber({ ...probe, isByProber: true }));
  tells("fails if the prober says so", ofProber({ ...down, isByProber: true }), [
    "error: the gateway of west fails its probe /ready at port 4191 (HTTP status 503), so requests to its mirrors fail: check its pods, and that pods of east can reach it",
  ]);
  tells("warns of a prober that says nothing", ofProber({ why: "the prober is silent" }), [
    "warning: the prober is silent: check its pod",
  ]);
});

describe("health of a link: whether its gateway has several pods", () => {
  const tells = tellsOf(gatewayRedundant);
  const key = "linkerd-multicluster/linkerd-gateway";
  const having = (...addresses: readonly string[]) => {
    const subsets = [{ addresses: addresses.map((ip) => ({ ip })) }];
    const west = cluster("west", { endpoints: [endpoints(key, subsets)] });
    return linkView({ target: { snapshot: { value: west } } });
  };

  tells("passes with two", having("10.0.0.1", "10.0.0.2"));
  tells("warns of a single one", having("10.0.0.1"), [
    "warning: the gateway west/linkerd-multicluster/linkerd-gateway has a single pod, and while that is replaced, requests to its mirrors fail: set ha: true on the cluster, or gateway.replicas in the values of the chart linkerd-multicluster",
  ]);
  tells("is skipped on a flat network", linkView({ link: { gateway: false } }), [
    "skipped: the link has no gateway (gateway: false)",
  ]);
});

describe("health of a link: its mirrors are as planned", () => {
  const tells = tellsOf(mirrorsInOrder);
  const decided = (target: ClusterSnapshot, source: ClusterSnapshot) =>
    linkView({ mirrors: { value: planned({ target, source }).decisions } });
  const empty = (name: string) => cluster(name, { namespaces: ["shop"] });

  tells("fails if a mirror is missing", decided(west, empty("east")), [
    "error: gateway mirror east/shop/web-west is missing. Fix: pulumi up",
  ]);
  tells("fails if a mirror is left over", decided(empty("west"), east), [
    "error: gateway mirror east/shop/web-west is left over, since no link wants it. Fix: pulumi up",
  ]);

  tells(
    "warns of a mirror with a former name until a run deletes it",
    linkView({ mirrors: { value: planned({ target: west, source: renamed, link }).decisions } }),
    [
      "warning: gateway mirror east/shop/web-west has a former name: shop/west-web replaces it, and the next run deletes it. Fix: pulumi up",
    ],
  );

  const moved = exported("shop/web", {}, { ports: [{ name: "http", port: 81 }] });
  const changed = cluster("west", { services: [moved], endpoints: [...west.endpoints.values()] });
  for (const [name, view, expected] of [
    [
      "fails with the field if a mirror differs",
      decided(changed, east),
      /^error: gateway mirror east\/shop\/web-west differs from what it should be \(.*ports: .* → .*\)\. Fix: pulumi up$/,
    ],
    [
      "warns of an exported Service that is not mirrored",
      decided(west, cluster("east", { namespaces: [] })),
      /^warning: west\/shop\/web is not mirrored: .*namespace shop[^\n]*\. Fix: kubectl --context \S+ create namespace shop$/,
    ],
    [
      "warns once of all Services with the same reason",
      decided(
        cluster("west", { services: [exported("shop/api"), exported("shop/web")] }),
        cluster("east", { namespaces: [] }),
      ),
      /^warning: west\/shop\/api, west\/shop\/web are not mirrored: .*namespace shop[^\n]*$/,
    ],
  ] as const)
    it(name, () => {
      match(said(mirrorsInOrder, view).join("\n"), expected);
    });

  const undecided = linkView({ mirrors: unread("broken") });
  tells("fails with the reason if nothing could be decided", undecided, ["error: broken"]);
  const controlled = linkView({ mirroring: "controller" });
  tells("is skipped with mirroring: controller", controlled, [
    "skipped: Linkerd's controller does the mirroring (mirroring: controller)",
  ]);
});

describe("health of a link: its mirrors lead somewhere", () => {
  const tells = tellsOf(mirrorsHaveEndpoints);
  const labels = { [label.mirrored]: "true", [label.cluster]: "west" };
  const of = (
    services: readonly Service[],
    more: Parameters<typeof linkView>[0] = {},
    there: readonly Endpoints[] = [],
  ) => linkView({ source: reading(cluster("east", { services, endpoints: there })), ...more });
  const stuck = (key: string) =>
    `error: mirror east/${key} has no endpoints, so nothing can connect to it: check that the gateway of west has an address. Fix: pulumi up`;
  const from = (name: string) => ({
    "mirror.linkerd.io/remote-svc-fq-name": `${name}.svc.cluster.local`,
  });
  const web = service("shop/web-west", { labels, annotations: from("web.shop") });
  const renamed = service("far/west-web", { labels, annotations: from("web.shop") });
  const emptied = of([web], {}, [endpoints("shop/web-west", [])]);

  tells("fails for a mirror without an Endpoints object", of([web]), [stuck("shop/web-west")]);
  tells("fails for a mirror with empty Endpoints", emptied, [stuck("shop/web-west")]);

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
  tells("ignores Services that need no Endpoints", of(others));

  const exporting = cluster("west", {
    services: [exported("shop/web"), exported("shop/db")],
    endpoints: [endpoints("shop/web", [pods([], [""])]), endpoints("shop/db")],
  });
  const there = { target: reading(exporting) };
  const root = { ...labels, [label.headlessRoot]: "db-west" };
  const both = [
    web,
    service("shop/db-0-west", { labels: root, annotations: from("db-0.db.shop") }),
  ];
  const silent = (key: string, origin: string) =>
    `warning: mirror east/${key} has no endpoints, because west/${origin} has no ready pod: start one there`;
  const silence = [silent("shop/web-west", "shop/web"), silent("shop/db-0-west", "shop/db")];
  const follows = of(both, { ...there, link: { readiness: "follow" } });
  const controlled = of(both, { ...there, mirroring: "controller" });
  const headless = service(
    "shop/db-west",
    { labels, annotations: from("db.shop") },
    { clusterIP: "None" },
  );
  tells(
    "finds the Service of a mirror with another name and namespace",
    of([renamed], { ...there, link: { readiness: "follow" } }),
    [silent("far/west-web", "shop/web")],
  );
  tells("warns with readiness: follow if no pod is ready in the target", follows, silence);
  tells(
    "warns that EndpointSlices are not read if there are no Endpoints",
    of([web], {
      target: reading(cluster("west", { services: [exported("shop/web")] })),
      mirroring: "controller",
    }),
    [
      "warning: mirror east/shop/web-west has no endpoints, because there are no Endpoints west/shop/web, and EndpointSlices are not read: write Endpoints too",
    ],
  );
  tells("warns with mirroring: controller if no pod is ready", controlled, silence);
  tells("warns for a headless mirror if no pod is ready", of([headless], there), [
    silent("shop/db-west", "shop/db"),
  ]);
  tells("fails with readiness: ignore although no pod is ready", of([web], there), [
    stuck("shop/web-west"),
  ]);
});
