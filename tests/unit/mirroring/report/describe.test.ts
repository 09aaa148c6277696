import assert from "node:assert/strict";
import { portsText } from "../../../../engine/model/canonical.ts";
import { describeLive, describeWanted } from "../../../../engine/mirroring/report/describe.ts";
import type { ServicePort } from "../../../../engine/kubernetes/objects/objects.ts";
import { cluster, endpoints, exported, headless, pods, service } from "../../fixtures/objects.ts";
import { planned, reconciled } from "../../fixtures/reconcile.ts";

const scenario = {
  link: { readiness: "follow" as const },
  target: cluster("west", {
    services: [
      exported("shop/web"),
      exported("shop/idle"),
      exported("shop/cache", { labels: { "mirror.linkerd.io/exported": "remote-discovery" } }),
      headless("shop/db"),
      headless("shop/one"),
    ],
    endpoints: [
      endpoints("shop/web", [pods([""])]),
      endpoints("shop/db", [pods(["db-0", "db-1"]), pods(["db-1"])]),
      endpoints("shop/one", [pods(["one-0"])]),
    ],
  }),
};
const empty = cluster("east", { namespaces: ["shop"] });

describe("the line of a mirror in previews and state", () => {
  it("has its kind, its Service, its ports, and the number of its pods or a lack of endpoints", () => {
    assert.deepEqual(planned({ ...scenario, source: empty }).mirrors, {
      "shop/cache-west": "remote-discovery mirror of cache: http 80→8080/TCP",
      "shop/db-west": "headless mirror of db: http 80→8080/TCP, 2 pods",
      "shop/db-0-west": "endpoint mirror of db-0.db: http 80→8080/TCP",
      "shop/db-1-west": "endpoint mirror of db-1.db: http 80→8080/TCP",
      "shop/idle-west": "gateway mirror of idle: http 80→8080/TCP, no endpoints",
      "shop/one-west": "headless mirror of one: http 80→8080/TCP, 1 pod",
      "shop/one-0-west": "endpoint mirror of one-0.one: http 80→8080/TCP",
      "shop/web-west": "gateway mirror of web: http 80→8080/TCP",
    });
  });

  it("is the same for a correct live mirror", async () => {
    const { mirrors } = planned({ ...scenario, source: empty });
    const { services, endpoints: objects } = await reconciled({ ...scenario, source: empty });
    for (const [key, live] of services) {
      const ends = objects.get(key);
      const mirror = { service: live, ...(ends !== undefined && { endpoints: ends }) };
      assert.equal(describeLive(mirror), mirrors[key]);
    }
  });

  it("replaces control characters, which a terminal would obey", () => {
    const annotations = {
      "multicluster.linkerd.io/remote-discovery": "x\nStatus: √\u001b[2K\u202e",
    };
    const forged = { kind: "federated", namespace: "shop", name: "a-federated" } as const;
    assert.equal(
      describeWanted({ ...forged, origin: "shop/a", labels: {}, annotations, ports: [] }),
      "federated Service of x?Status: √?[2K?: none",
    );
  });

  for (const { state, live, line } of [
    {
      state: "without annotations and ports",
      live: { service: service("shop/x", {}, { ports: [] }) },
      line: "gateway mirror: none, no endpoints",
    },
    {
      state: "with more ports than a line has room for",
      live: {
        service: service(
          "shop/x",
          {},
          { ports: Array.from({ length: 12 }, (_, n) => ({ port: n + 10 })) },
        ),
      },
      line: "gateway mirror: 10/TCP, 11/TCP, 12/TCP, 13/TCP, 14/TCP, 15/TCP, 16/TCP, 17/TCP, 18/TCP, 19/TCP and 2 more, no endpoints",
    },
    {
      state: "that has lost its Service",
      live: { endpoints: endpoints("shop/x") },
      line: "Endpoints without a Service",
    },
    {
      state: "without ready addresses",
      live: { service: service("shop/x"), endpoints: endpoints("shop/x", [pods([], [""])]) },
      line: "gateway mirror: http 80→8080/TCP, no endpoints",
    },
  ])
    it(`describes a live mirror ${state}`, () => {
      assert.equal(describeLive(live), line);
    });
});

describe("the text of ports", () => {
  const rows: [what: string, ports: readonly ServicePort[] | undefined, text: string][] = [
    ["has their names", [{ name: "http", port: 80 }], "http 80/TCP"],
    ["has no name for an unnamed port", [{ port: 80 }], "80/TCP"],
    ["has no name for an empty one", [{ name: "", port: 80 }], "80/TCP"],
    [
      "has TCP as the default protocol",
      [{ port: 53 }, { port: 53, protocol: "UDP" }],
      "53/TCP, 53/UDP",
    ],
    ["has no targetPort that equals the port", [{ port: 80, targetPort: 80 }], "80/TCP"],
    ["has another targetPort", [{ port: 80, targetPort: 8080 }], "80→8080/TCP"],
    ["has a named targetPort", [{ port: 80, targetPort: "web" }], "80→web/TCP"],
    ["is the same for any order", [{ port: 9 }, { port: 10 }, { port: 1 }], "1/TCP, 10/TCP, 9/TCP"],
    ["is none for an empty list", [], "none"],
    ["is none without a list", undefined, "none"],
  ];
  for (const [what, ports, text] of rows)
    it(what, () => {
      assert.equal(portsText(ports), text);
    });
});
