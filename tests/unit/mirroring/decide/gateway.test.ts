import { deepEqual, equal } from "node:assert/strict";
import type { LinkSpec } from "../../../../engine/model/link.ts";
import type { Endpoints, ServicePort } from "../../../../engine/kubernetes/objects/objects.ts";
import { known, mirrorAt, noGateway, wanted, west } from "../../fixtures/link.ts";
import { endpoints, exported, headless, http, pods, service } from "../../fixtures/objects.ts";

const remoteName = "mirror.linkerd.io/remote-svc-fq-name";
const web = exported("shop/web", { labels: { app: "web" }, annotations: { team: "shop" } });
const target = west([web]);
const owner = {
  "mirror.linkerd.io/cluster-name": "west",
  "mirror.linkerd.io/mirrored-service": "true",
};
const identity = { namespace: "shop", name: "web-west", origin: "shop/web", ports: [http] };
const origin = {
  [remoteName]: "web.shop.svc.cluster.local",
  "mirror.linkerd.io/remote-resource-version": "1",
};

describe("a gateway mirror (linkerd-behaviour.md 2.4, 2.5)", () => {
  it("waits for a gateway, and Kubernetes says at the gateway's Service what it lacks", () => {
    const gateway = service("linkerd-multicluster/linkerd-gateway");
    const { skips } = wanted({ target: west([web, gateway]), gateway: noGateway });
    const kubectl = "--namespace linkerd-multicluster describe service linkerd-gateway";
    deepEqual(
      skips.map(({ reason, fix }) => [reason, fix]),
      [["NoGateway", { cluster: "west", kubectl }]],
    );
    const search = "get services --all-namespaces --selector linkerd.io/extension=multicluster";
    const [absent] = wanted({ target, gateway: noGateway }).skips;
    deepEqual(absent?.fix, { cluster: "west", kubectl: search });
    const ungated = wanted({ target, gateway: noGateway, link: { gateway: false } });
    deepEqual(
      ungated.skips.map(({ fix }) => fix),
      [undefined],
    );
  });

  it("is a Service like the exported one, with the target's gateway as its Endpoints", () => {
    const labels = { app: "web", ...owner };
    deepEqual(wanted({ target }).mirrors, [
      {
        kind: "gateway",
        ...identity,
        labels,
        annotations: { team: "shop", ...origin },
        endpoints: {
          labels,
          annotations: {
            [remoteName]: "web.shop.svc.cluster.local",
            "mirror.linkerd.io/remote-gateway-identity": "gateway.west",
          },
          subsets: [
            {
              addresses: [{ ip: "192.0.2.10" }],
              ports: [{ name: "http", protocol: "TCP", port: 4143 }],
            },
          ],
        },
      },
    ]);
  });

  it("has its Service's ports without their node ports, each of which leads to the gateway's (2.8)", () => {
    const dns: ServicePort = { protocol: "UDP", port: 53, targetPort: "dns" };
    const ports = [{ ...http, appProtocol: "linkerd.io/opaque" }, dns];
    const services = [
      exported("shop/web", {}, { ports: ports.map((port) => ({ ...port, nodePort: 30080 })) }),
    ];
    const [mirror] = wanted({ target: west(services) }).mirrors;
    deepEqual(mirror?.ports, ports);
    deepEqual(mirror.endpoints?.subsets[0]?.ports, [
      { name: "http", protocol: "TCP", port: 4143 },
      { protocol: "UDP", port: 4143 },
    ]);
  });

  it("leads to all of the gateway's addresses, and omits an empty identity", () => {
    const addresses = ["192.0.2.200", "192.0.2.30", "2001:db8::1"];
    const { mirrors } = wanted({ target, gateway: known({ addresses, identity: "" }) });
    const { subsets, annotations } = mirrors[0]?.endpoints ?? {};
    deepEqual(
      subsets?.map((subset) => subset.addresses),
      [addresses.map((ip) => ({ ip }))],
    );
    deepEqual(annotations, { [remoteName]: "web.shop.svc.cluster.local" });
  });
});

describe("a gateway mirror's Endpoints (linkerd-behaviour.md 2.11)", () => {
  const at = "shop/web" as const;
  type Row = [pods: string, Endpoints[], LinkSpec["readiness"], lead: "to the gateway" | "nowhere"];
  const rows: Row[] = [
    ["ready pods", [endpoints(at, [pods(["", ""])])], "follow", "to the gateway"],
    [
      "a ready pod in any subset",
      [endpoints(at, [pods([], [""]), pods([""])])],
      "follow",
      "to the gateway",
    ],
    ["no pod that is ready", [endpoints(at, [pods([], [""])])], "follow", "nowhere"],
    ["no Endpoints object", [], "follow", "nowhere"],
    ["no pod that is ready", [endpoints(at, [pods([], [""])])], "ignore", "to the gateway"],
    ["no Endpoints object", [], "ignore", "to the gateway"],
  ];
  for (const [what, objects, readiness, lead] of rows)
    it(`lead ${lead} for a Service with ${what}, with readiness: ${readiness}`, () => {
      const of = (spec: Partial<LinkSpec>) =>
        mirrorAt("shop/web-west", wanted({ target: west([web], objects), link: spec })).endpoints;
      equal(of({ readiness })?.subsets.length, lead === "nowhere" ? 0 : 1);
      deepEqual({ ...of({ readiness }), subsets: [] }, { ...of({}), subsets: [] });
    });
});

describe("a remote-discovery mirror (linkerd-behaviour.md 2.6, 5)", () => {
  const labels = { app: "web", "mirror.linkerd.io/exported": "remote-discovery" };
  const discovery = {
    "multicluster.linkerd.io/remote-discovery": "west",
    "multicluster.linkerd.io/remote-service": "web",
  };
  const expected = { kind: "discovery", ...identity, annotations: origin };
  const mirror = { ...expected, labels: { app: "web", ...owner, ...discovery } };

  it("names its Service and cluster in labels, and needs no gateway", () => {
    const target = west([exported("shop/web", { labels })]);
    deepEqual(wanted({ target }).mirrors, [mirror]);
    deepEqual(wanted({ target, gateway: noGateway, link: { gateway: false } }).mirrors, [mirror]);
  });

  it("[Q] is created for a headless Service too, and isn't headless itself", () => {
    const named = [endpoints("shop/web", [pods(["web-0"])])];
    deepEqual(wanted({ target: west([headless("shop/web", { labels })], named) }).mirrors, [
      mirror,
    ]);
  });
});
