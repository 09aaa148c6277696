import assert from "node:assert/strict";
import { mirrorsOf } from "../../../../engine/mirroring/model/owner.ts";
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

type Objects = Pick<ClusterSnapshot, "services" | "endpoints">;

/** The same few cases make up all the worlds, so what each of them gives is worked out once. */
const known = new Map<Case, Objects>();

/** What lives in the source because of one case, mirrors of what is not exported being left over. */
function live(one: Case): Objects {
  const objects = known.get(one) ?? liveOf(one);
  known.set(one, objects);
  return objects;
}

function liveOf(one: Case): Objects {
  const exported = one.exported === "remote-discovery" ? one.exported : "true";
  const key = `shop/${one.name}-west` as const;
  switch (one.live) {
    case "absent":
      return cluster("east");
    case "foreign":
      return cluster("east", {
        services: [service(key)],
        endpoints: [endpoints(key, [pods([""])])],
      });
    case "right":
      return mirrored({ ...one, exported });
    case "wrong kind":
      return mirrored({ ...one, exported, headless: !one.headless });
    case "wrong port":
      return mirrored({ ...one, exported, port: one.port === 80 ? 8080 : 80 });
    case "drifted":
      return edited(mirrored({ ...one, exported }), key, {
        service: byUs(withLabels({ stale: "copy" })),
        endpoints: withSubsets(),
      });
  }
}

function mirrored(one: Case): ClusterSnapshot {
  return reconciled({ target: target([one]), source: empty });
}

function source(cases: readonly Case[]): ClusterSnapshot {
  const all = cases.map(live);
  return cluster("east", {
    namespaces: ["shop"],
    services: all.flatMap(({ services }) => [...services.values()]),
    endpoints: all.flatMap(({ endpoints }) => [...endpoints.values()]),
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
  for (const kind of ["services", "endpoints"] as const)
    for (const [key, object] of before[kind])
      if (!owns(object)) assert.equal(after[kind].get(key), object, title);
  return after;
}

const unmirrored = new Map<string, ReturnType<typeof shape>>();

/** The outcome in a source that has no mirrors yet, of what is on the mirrors' names only what is not ours. */
function outcome(cases: readonly Case[]): ReturnType<typeof shape> {
  const foreign = cases.filter((one) => one.live === "foreign");
  const key = JSON.stringify([cases.map((one) => ({ ...one, live: "" })), foreign]);
  const known =
    unmirrored.get(key) ?? shape(reconciled({ target: target(cases), source: source(foreign) }));
  unmirrored.set(key, known);
  return known;
}

/** Mirrors that were there leave no trace: the outcome is that of a source without them. */
function assertNoTrace(cases: readonly Case[]): void {
  assert.deepEqual(shape(assertSettles(cases)), outcome(cases), JSON.stringify(cases));
}

/** Those of one port: what differs by port alone does so for a single Service, too. */
const onePort = (name: string) => casesOf(name).filter(({ port }) => port === 80);
const [web, db, dbPod] = [onePort("web"), onePort("db"), onePort("db-0")];

describe("every state of a small world comes right in one run", () => {
  it("with one Service", () => {
    for (const one of casesOf("web")) assertNoTrace([one]);
  });

  it("with two Services", () => {
    for (const one of web) for (const other of db) assertNoTrace([one, other]);
  });

  it("with two Services whose mirrors can collide", () => {
    for (const one of db) for (const other of dbPod) assertSettles([one, other]);
  });
});
