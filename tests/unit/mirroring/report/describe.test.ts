import assert from "node:assert/strict";
import { portsText } from "../../../../engine/mirroring/model/canonical.ts";
import { describeLive, describeWanted } from "../../../../engine/mirroring/report/describe.ts";
import type { LiveMirror } from "../../../../engine/mirroring/model/mirror.ts";
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

describe("the line by which a mirror is known in previews and state", () => {
  it("says what it is, of what, at which ports, and whether it leads anywhere", () => {
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

  it("is the same for a mirror that is live and as it should be", () => {
    const { mirrors } = planned({ ...scenario, source: empty });
    const { services, endpoints: objects } = reconciled({ ...scenario, source: empty });
    for (const [key, live] of services) {
      const ends = objects.get(key);
      const mirror = { service: live, ...(ends !== undefined && { endpoints: ends }) };
      assert.equal(describeLive(mirror), mirrors[key]);
    }
  });

  it("has nothing of what a cluster says that a terminal obeys", () => {
    const annotations = {
      "multicluster.linkerd.io/remote-discovery": "x\nStatus: √\u001b[2K\u202e",
    };
    const forged = { kind: "federated", namespace: "shop", name: "a-federated" } as const;
    assert.equal(
      describeWanted({ ...forged, origin: "shop/a", labels: {}, annotations, ports: [] }),
      "federated Service of x?Status: √?[2K?: none",
    );
  });

  const odd: [what: string, live: LiveMirror, line: string][] = [
    [
      "that has lost all it is known by",
      { service: service("shop/x", {}, { ports: [] }) },
      "gateway mirror: none, no endpoints",
    ],
    ["that is Endpoints alone", { endpoints: endpoints("shop/x") }, "Endpoints without a Service"],
    [
      "whose addresses are not ready",
      { service: service("shop/x"), endpoints: endpoints("shop/x", [pods([], [""])]) },
      "gateway mirror: http 80→8080/TCP, no endpoints",
    ],
  ];
  for (const [what, live, line] of odd)
    it(`can be written for a live mirror ${what}`, () => {
      assert.equal(describeLive(live), line);
    });
});

describe("the text of ports", () => {
  const rows: [what: string, ports: readonly ServicePort[] | undefined, text: string][] = [
    ["names them", [{ name: "http", port: 80 }], "http 80/TCP"],
    ["is short where there is no name", [{ port: 80 }], "80/TCP"],
    ["takes an empty name for none", [{ name: "", port: 80 }], "80/TCP"],
    ["fills in TCP", [{ port: 53 }, { port: 53, protocol: "UDP" }], "53/TCP, 53/UDP"],
    ["leaves out a targetPort that is the port", [{ port: 80, targetPort: 80 }], "80/TCP"],
    ["shows another targetPort", [{ port: 80, targetPort: 8080 }], "80→8080/TCP"],
    ["shows a named targetPort", [{ port: 80, targetPort: "web" }], "80→web/TCP"],
    ["is the same in any order", [{ port: 9 }, { port: 10 }, { port: 1 }], "1/TCP, 10/TCP, 9/TCP"],
    ["says where there are none", [], "none"],
    ["says where there is no list", undefined, "none"],
  ];
  for (const [what, ports, text] of rows)
    it(what, () => {
      assert.equal(portsText(ports), text);
    });
});
