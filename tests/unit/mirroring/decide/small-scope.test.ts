import assert from "node:assert/strict";
import { mirrorsOf } from "../../../../engine/mirroring/model/owner.ts";
import type { Endpoints, Service } from "../../../../engine/kubernetes/objects/objects.ts";
import type { ClusterSnapshot } from "../../../../engine/mirroring/model/snapshot.ts";
import { count } from "../../../reliability/effort.ts";
import { byUs, edited, withLabels, withSubsets } from "../../fixtures/edited.ts";
import { cluster, endpoints, http, pods, service } from "../../fixtures/objects.ts";
import { planned, reconciled } from "../../fixtures/reconcile.ts";
import { shape } from "../../fixtures/shape.ts";

const labelStates = [undefined, "true", "remote-discovery", "false"] as const;
const liveStates = ["absent", "right", "drifted", "foreign", "wrong kind", "wrong port"] as const;

/** One Service of the target, and what is at its mirror's name in the source. */
interface Case {
  readonly name: string;
  readonly exported: (typeof labelStates)[number];
  readonly headless: boolean;
  readonly port: number;
  readonly live: (typeof liveStates)[number];
}

interface Objects {
  readonly services: readonly Service[];
  readonly endpoints: readonly Endpoints[];
}

function casesOf(name: string): Case[] {
  return labelStates.flatMap((exported) =>
    [false, true].flatMap((headless) =>
      [80, 8080].flatMap((port) =>
        liveStates.map((live) => ({ name, exported, headless, port, live })),
      ),
    ),
  );
}

const empty = cluster("east", { namespaces: ["shop"] });

function target(cases: readonly Case[]): ClusterSnapshot {
  return cluster("west", {
    services: cases.map(({ name, exported, headless, port }) =>
      service(
        `shop/${name}`,
        exported === undefined ? {} : { labels: { "mirror.linkerd.io/exported": exported } },
        { ports: [{ ...http, port }], ...(headless && { clusterIP: "None" }) },
      ),
    ),
    endpoints: cases.map(({ name }) => endpoints(`shop/${name}`, [pods([`${name}-0`])])),
  });
}

/** What lives in the source because of one case, mirrors of what is not exported being left over. */
function live(one: Case): Objects {
  const exported = one.exported === "remote-discovery" ? one.exported : "true";
  const key = `shop/${one.name}-west` as const;
  switch (one.live) {
    case "absent":
      return { services: [], endpoints: [] };
    case "foreign":
      return { services: [service(key)], endpoints: [endpoints(key, [pods([""])])] };
    case "right":
      return objectsOf(mirrored({ ...one, exported }));
    case "wrong kind":
      return objectsOf(mirrored({ ...one, exported, headless: !one.headless }));
    case "wrong port":
      return objectsOf(mirrored({ ...one, exported, port: one.port === 80 ? 8080 : 80 }));
    case "drifted":
      return objectsOf(
        edited(mirrored({ ...one, exported }), key, {
          service: byUs(withLabels({ stale: "copy" })),
          endpoints: withSubsets(),
        }),
      );
  }
}

function mirrored(one: Case): ClusterSnapshot {
  return reconciled({ target: target([one]), source: empty });
}

function objectsOf(snapshot: ClusterSnapshot): Objects {
  return {
    services: [...snapshot.services.values()],
    endpoints: [...snapshot.endpoints.values()],
  };
}

function source(cases: readonly Case[]): ClusterSnapshot {
  const all = cases.map(live);
  return cluster("east", {
    namespaces: ["shop"],
    services: all.flatMap(({ services }) => services),
    endpoints: all.flatMap(({ endpoints }) => endpoints),
  });
}

/** One run is enough, whatever it begins with, and leaves alone what is not ours. */
function assertSettles(cases: readonly Case[]): ClusterSnapshot {
  const title = JSON.stringify(cases);
  count("small worlds");
  const before = source(cases);
  const after = reconciled({ target: target(cases), source: before });
  assert.deepEqual(planned({ target: target(cases), source: after }).changes, [], title);
  const { owns } = mirrorsOf("west");
  for (const [key, object] of before.services)
    if (!owns(object)) assert.equal(after.services.get(key), object, title);
  for (const [key, object] of before.endpoints)
    if (!owns(object)) assert.equal(after.endpoints.get(key), object, title);
  return after;
}

/** Mirrors that were there leave no trace: the outcome is that of a source without them. */
function assertNoTrace(cases: readonly Case[]): void {
  const after = assertSettles(cases);
  const unmirrored = source(cases.filter((one) => one.live === "foreign"));
  assert.deepEqual(
    shape(after),
    shape(reconciled({ target: target(cases), source: unmirrored })),
    JSON.stringify(cases),
  );
}

describe("every state of a small world comes right in one run", () => {
  it("with one Service", () => {
    for (const one of casesOf("web")) assertNoTrace([one]);
  });

  for (const exported of labelStates)
    it(`with two Services, of which one has the export label ${exported ?? "missing"}`, () => {
      for (const one of casesOf("web").filter((web) => web.exported === exported))
        for (const other of casesOf("db")) assertNoTrace([one, other]);
    });

  for (const exported of labelStates)
    it(`with two Services whose mirrors can collide, the first labelled ${exported ?? "not at all"}`, () => {
      for (const one of casesOf("db").filter((db) => db.exported === exported))
        for (const other of casesOf("db-0")) assertSettles([one, other]);
    });
});
