import assert from "node:assert/strict";
import type { LinkSpec } from "../../../../engine/mirroring/model/link.ts";
import type { Endpoints } from "../../../../engine/kubernetes/objects/objects.ts";
import { known, mirrorAt, noGateway, wanted } from "../../fixtures/link.ts";
import { cluster, endpoints, exported, headless, pods } from "../../fixtures/objects.ts";

const remoteName = "mirror.linkerd.io/remote-svc-fq-name";
const web = exported("shop/web", { labels: { app: "web" }, annotations: { team: "shop" } });

describe("a gateway mirror (linkerd-behaviour.md 2.4, 2.5)", () => {
  it("is a Service like the exported one, with Endpoints that are the target's gateway", () => {
    const target = cluster("west", { services: [web] });
    const labels = {
      app: "web",
      "mirror.linkerd.io/cluster-name": "west",
      "mirror.linkerd.io/mirrored-service": "true",
    };
    assert.deepEqual(wanted({ target }), {
      mirrors: [
        {
          kind: "gateway",
          namespace: "shop",
          name: "web-west",
          origin: "shop/web",
          labels,
          annotations: {
            team: "shop",
            [remoteName]: "web.shop.svc.cluster.local",
            "mirror.linkerd.io/remote-resource-version": "1",
          },
          ports: [{ name: "http", protocol: "TCP", port: 80, targetPort: 8080 }],
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
      ],
      skips: [],
      missing: {},
    });
  });

  it("leads to all addresses of the gateway", () => {
    const target = cluster("west", { services: [web] });
    const gateway = known({ addresses: ["192.0.2.200", "192.0.2.30", "2001:db8::1"] });
    assert.deepEqual(
      mirrorAt("shop/web-west", wanted({ target, gateway })).endpoints?.subsets.map(
        ({ addresses }) => addresses,
      ),
      [[{ ip: "192.0.2.200" }, { ip: "192.0.2.30" }, { ip: "2001:db8::1" }]],
    );
  });

  it("says nothing of a gateway's identity that is empty", () => {
    const target = cluster("west", { services: [web] });
    const { mirrors } = wanted({ target, gateway: known({ identity: "" }) });
    assert.deepEqual(
      mirrors.map((mirror) => mirror.endpoints?.annotations),
      [{ [remoteName]: "web.shop.svc.cluster.local" }],
    );
  });

  it("waits for a gateway, where there is none to be had", () => {
    const target = cluster("west", { services: [web] });
    assert.deepEqual(wanted({ target, gateway: noGateway }), {
      mirrors: [],
      skips: [
        {
          origin: "shop/web",
          mirror: "web-west",
          reason: "NoGateway",
          sentence: "there is no gateway",
        },
      ],
      missing: {},
    });
  });

  it("is listed in the order of the exported Services' names", () => {
    const keys = ["b/a", "a/b", "a/c", "a/a"] as const;
    const target = cluster("west", { services: keys.map((key) => exported(key)) });
    assert.deepEqual(
      wanted({ target }).mirrors.map(({ origin }) => origin),
      ["a/a", "a/b", "a/c", "b/a"],
    );
  });
});

describe("a gateway mirror's Endpoints (linkerd-behaviour.md 2.11)", () => {
  const at = "shop/web" as const;
  const rows: [
    pods: string,
    endpoints: readonly Endpoints[],
    readiness: LinkSpec["readiness"],
    lead: "to the gateway" | "nowhere",
  ][] = [
    ["ready pods", [endpoints(at, [pods(["", ""])])], "follow", "to the gateway"],
    ["ready and other pods", [endpoints(at, [pods([""], [""])])], "follow", "to the gateway"],
    [
      "a ready pod in any subset",
      [endpoints(at, [pods([], [""]), pods([""])])],
      "follow",
      "to the gateway",
    ],
    ["no pod that is ready", [endpoints(at, [pods([], [""])])], "follow", "nowhere"],
    ["no pods", [endpoints(at, [])], "follow", "nowhere"],
    ["no subsets at all", [endpoints(at)], "follow", "nowhere"],
    ["no Endpoints object", [], "follow", "nowhere"],
    ["no pod that is ready", [endpoints(at, [pods([], [""])])], "ignore", "to the gateway"],
    ["no pods", [endpoints(at, [])], "ignore", "to the gateway"],
    ["no Endpoints object", [], "ignore", "to the gateway"],
  ];
  for (const [what, objects, readiness, lead] of rows)
    it(`lead ${lead} for a Service with ${what}, with readiness: ${readiness}`, () => {
      const target = cluster("west", { services: [web], endpoints: objects });
      const mirror = mirrorAt("shop/web-west", wanted({ target, link: { readiness } }));
      assert.equal(mirror.endpoints?.subsets.length, lead === "nowhere" ? 0 : 1);
    });

  it("have labels and annotations even if they lead nowhere", () => {
    const target = cluster("west", { services: [web] });
    const [full, empty] = (["ignore", "follow"] as const).map(
      (readiness) => mirrorAt("shop/web-west", wanted({ target, link: { readiness } })).endpoints,
    );
    assert.deepEqual(empty, { ...full, subsets: [] });
  });
});

describe("a remote-discovery mirror (linkerd-behaviour.md 2.6, 5)", () => {
  const labels = { app: "web", "mirror.linkerd.io/exported": "remote-discovery" };
  const expected = {
    kind: "discovery",
    namespace: "shop",
    name: "web-west",
    origin: "shop/web",
    labels: {
      app: "web",
      "mirror.linkerd.io/cluster-name": "west",
      "mirror.linkerd.io/mirrored-service": "true",
      "multicluster.linkerd.io/remote-discovery": "west",
      "multicluster.linkerd.io/remote-service": "web",
    },
    annotations: {
      [remoteName]: "web.shop.svc.cluster.local",
      "mirror.linkerd.io/remote-resource-version": "1",
    },
    ports: [{ name: "http", protocol: "TCP", port: 80, targetPort: 8080 }],
  };

  it("says by its labels which Service of which cluster it stands for, and has no Endpoints", () => {
    const target = cluster("west", { services: [exported("shop/web", { labels })] });
    assert.deepEqual(wanted({ target }), { mirrors: [expected], skips: [], missing: {} });
  });

  it("needs no gateway", () => {
    const target = cluster("west", { services: [exported("shop/web", { labels })] });
    const { mirrors } = wanted({ target, gateway: noGateway, link: { gateway: false } });
    assert.deepEqual(mirrors, [expected]);
  });

  it("[Q] is made of a headless Service too, and is not headless itself", () => {
    const target = cluster("west", {
      services: [headless("shop/web", { labels })],
      endpoints: [endpoints("shop/web", [pods(["web-0"])])],
    });
    assert.deepEqual(wanted({ target }).mirrors, [expected]);
  });
});
