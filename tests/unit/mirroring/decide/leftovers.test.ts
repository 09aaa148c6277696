import assert from "node:assert/strict";
import type { GatewayReading } from "../../../../engine/mirroring/model/gateway.ts";
import type { LinkSpec } from "../../../../engine/mirroring/model/link.ts";
import { reasons } from "../../../../engine/mirroring/model/reasons.ts";
import type { ClusterSnapshot } from "../../../../engine/mirroring/model/snapshot.ts";
import { known, noGateway } from "../../fixtures/link.ts";
import {
  cluster,
  endpoints,
  exported,
  headless,
  later,
  namespace,
  pods,
} from "../../fixtures/objects.ts";
import { actions, planned, reconciled, skipped } from "../../fixtures/reconcile.ts";

const db = headless("shop/db");
const dbPods = endpoints("shop/db", [pods(["db-0"])]);
const full = cluster("west", { services: [db, exported("shop/web")], endpoints: [dbPods] });
const source = reconciled({ target: full, source: cluster("east", { namespaces: ["shop"] }) });
const scaledDown = cluster("west", {
  services: [db, exported("shop/web")],
  endpoints: [endpoints("shop/db", [])],
});
const truncated = { "endpoints.kubernetes.io/over-capacity": "truncated" };

/** The target with another `db`, and `web` as it was. */
function targetWith(services: Parameters<typeof exported>[2], labels = {}): ClusterSnapshot {
  return cluster("west", {
    services: [
      exported("shop/db", { labels }, { clusterIP: "None", ...services }),
      exported("shop/web"),
    ],
    endpoints: [dbPods],
  });
}

function namespaces(...entries: Parameters<typeof namespace>[]): ClusterSnapshot {
  const there = entries.map((entry) => namespace(...entry));
  return { ...source, namespaces: new Map(there.map((one) => [one.metadata.name, one])) };
}

function labels(count: number) {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`a${n}`, "x"]));
}

/** The source as a version without bounds would have left it. */
function reconciledBefore(more: Readonly<Record<string, string>>): ClusterSnapshot {
  const live = source.services.get("shop/db-west");
  if (live === undefined) throw new Error("there is no shop/db-west");
  const large = {
    ...live,
    metadata: { ...live.metadata, labels: { ...live.metadata.labels, ...more } },
  };
  return { ...source, services: new Map(source.services).set("shop/db-west", large) };
}

interface Row {
  readonly why: string;
  readonly target?: ClusterSnapshot;
  readonly source?: ClusterSnapshot;
  readonly gateway?: GatewayReading;
  readonly link?: Partial<LinkSpec>;
  readonly now?: Date;
  readonly skips: readonly string[];
  readonly changes: readonly string[];
}

const ofDb = ["delete endpoint shop/db-0-west", "delete headless shop/db-west"];
const all = [...ofDb, "delete gateway shop/web-west"];

const rows: Row[] = [
  {
    why: "nothing exports it any more",
    target: cluster("west", { services: [exported("shop/web")] }),
    skips: [],
    changes: ofDb,
  },
  {
    why: "its Service says that it is not exported",
    target: targetWith({}, { "mirror.linkerd.io/exported": "false" }),
    skips: [],
    changes: ofDb,
  },
  {
    why: "its Service's export label is not listened to",
    target: targetWith({}, { "mirror.linkerd.io/exported": "True" }),
    skips: [],
    changes: ofDb,
  },
  {
    why: "its Service has come to have more labels than a mirror may",
    target: targetWith({}, labels(200)),
    skips: ["TooLarge shop/db"],
    changes: [],
  },
  {
    why: "its Service has become an alias",
    target: targetWith({ type: "ExternalName" }),
    skips: ["ExternalName shop/db"],
    changes: ofDb,
  },
  {
    why: "its Service has lost its ports",
    target: targetWith({ ports: [] }),
    skips: ["NoPorts shop/db"],
    changes: ofDb,
  },
  {
    why: "its Service has become a mirror",
    target: targetWith({}, { "mirror.linkerd.io/mirrored-service": "true" }),
    skips: ["IsMirror shop/db"],
    changes: ofDb,
  },
  {
    why: "its namespace is said to be missing",
    source: namespaces(),
    skips: ["MissingNamespace shop/db", "MissingNamespace shop/web"],
    changes: all,
  },
  {
    why: "its namespace is being deleted",
    source: namespaces(["shop", { deletionTimestamp: "2026-01-01T00:00:00Z" }]),
    skips: ["TerminatingNamespace shop/db", "TerminatingNamespace shop/web"],
    changes: [],
  },
  {
    why: "the gateway is not to be found now",
    gateway: noGateway,
    skips: ["NoGateway shop/db", "NoGateway shop/web"],
    changes: [],
  },
  {
    why: "its Endpoints name only some of its pods",
    target: cluster("west", {
      services: [db, exported("shop/web")],
      endpoints: [endpoints("shop/db", [pods(["db-1"])], { annotations: truncated })],
    }),
    skips: ["TruncatedEndpoints shop/db"],
    changes: [],
  },
  {
    why: "the link no longer does headless mirrors",
    link: { headless: false },
    skips: [],
    changes: ["delete endpoint shop/db-0-west", "replace gateway shop/db-west"],
  },
  {
    why: "its Endpoints are absent",
    target: cluster("west", { services: [db, exported("shop/web")] }),
    skips: [],
    changes: [],
  },
  {
    why: "its pod is away for the first time",
    target: scaledDown,
    skips: [],
    changes: [],
  },
  {
    why: "its pod is away for the second time",
    target: scaledDown,
    now: later,
    skips: [],
    changes: ["delete endpoint shop/db-0-west", "update headless shop/db-west"],
  },
];

describe("a mirror that this run does not ask for", () => {
  for (const { why, skips, changes, ...situation } of rows)
    it(`${changes.length === 0 ? "stays" : "goes"} where ${why}`, () => {
      const plan = planned({ target: full, source, gateway: known(), ...situation });
      assert.deepEqual(skipped(plan), skips);
      assert.deepEqual(actions(plan), changes);
    });

  it("goes or stays as the table of reasons says", () => {
    const told = rows.flatMap(({ skips, changes }) =>
      skips.map((skip) => [skip.split(" ")[0], changes.length === 0] as const),
    );
    for (const [reason, stays] of told) {
      const entry = Object.entries(reasons).find(([name]) => name === reason);
      assert.equal(entry?.[1].keeps, stays, reason);
    }
  });

  it("goes where it is too large itself, as a version without bounds has left it", () => {
    const plan = planned({
      target: targetWith({}, labels(200)),
      source: reconciledBefore(labels(200)),
    });
    assert.deepEqual(actions(plan), ["delete headless shop/db-west"]);
  });

  it("is still listed where it stays, in the words of what is live", () => {
    const before = planned({ target: full, source }).mirrors;
    const plan = planned({ target: full, source, gateway: noGateway });
    assert.deepEqual(plan.mirrors, before);
  });

  it("goes where only its Endpoints are left", () => {
    const services = new Map([...source.services].filter(([key]) => key !== "shop/web-west"));
    const target = cluster("west", { services: [db], endpoints: [dbPods] });
    const plan = planned({ target, source: { ...source, services } });
    assert.deepEqual(actions(plan), ["delete gateway shop/web-west"]);
  });

  it("leads nowhere before its pods' mirrors go, as the root's update comes with their deletion", () => {
    const after = reconciled({ target: scaledDown, source, now: later });
    assert.deepEqual(after.endpoints.get("shop/db-west")?.subsets, []);
    assert.deepEqual([...after.services.keys()].sort(), ["shop/db-west", "shop/web-west"]);
  });
});

describe("namespaces", () => {
  const target = cluster("west", {
    services: [exported("b/web"), exported("a/web"), exported("a/db")],
  });
  const link = { createNamespaces: true };

  it("are created once each, in order, where the link says so", () => {
    const plan = planned({ target, source: cluster("east"), link });
    assert.deepEqual(plan.namespaces, ["a", "b"]);
    const after = reconciled({ target, source: cluster("east"), link });
    assert.deepEqual(after.namespaces.get("a"), {
      metadata: {
        name: "a",
        labels: {
          "mirror.linkerd.io/cluster-name": "west",
          "mirror.linkerd.io/mirrored-service": "true",
        },
      },
    });
  });

  it("that are there are left as they are", () => {
    const source = cluster("east", { namespaces: ["a", "b"] });
    assert.deepEqual(planned({ target, source, link }).namespaces, []);
    assert.deepEqual(reconciled({ target, source, link }).namespaces, source.namespaces);
  });

  it("are never deleted", () => {
    const source = reconciled({ target, source: cluster("east"), link });
    const after = reconciled({ target: cluster("west"), source, link });
    assert.deepEqual([...after.namespaces.keys()], ["a", "b"]);
  });

  it("are not created for a mirror that cannot be", () => {
    const broken = cluster("west", { services: [exported("a/web", {}, { ports: [] })] });
    assert.deepEqual(planned({ target: broken, source: cluster("east"), link }).namespaces, []);
  });
});
