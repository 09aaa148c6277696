import { match } from "node:assert/strict";

import type { Answer } from "../../simulation/answering-dispatcher.ts";
import type { ApiServer } from "../../simulation/api-server.ts";
import type { Mesh } from "../../simulation/mesh.ts";
import { count } from "../effort.ts";
import { type Cell, type End, expectCell, expectNoOtherDeletion, expectRecovery } from "./cell.ts";
import { always, type ClusterFault, faultPlan, refusal, type Duration } from "./faults.ts";
import { type PhaseName, phases } from "./phases.ts";
import { changed, founded } from "./mesh.ts";

const reading = [
  "while it plans",
  "while it looks again before it writes",
  "while it looks what to destroy",
] as const satisfies readonly PhaseName[];

/** What an outage is in each of them. */
const away: Readonly<Record<(typeof reading)[number], End>> = {
  "while it plans": "told",
  "while it looks again before it writes": "failed",
  "while it looks what to destroy": "failed",
};

interface Row {
  readonly lists: string;
  readonly fault: ClusterFault;
  readonly lasts: Duration;
  readonly path: RegExp;
  /** Undefined: as an outage. */
  readonly end?: "done";
  readonly sentence: RegExp;
  readonly patience: number;
}

/** An answer with other items. */
function items(other: (items: readonly Item[]) => readonly Item[]): ClusterFault {
  const alter = ({ body, ...answer }: Answer): Answer => {
    const list = JSON.parse(body) as { readonly items: readonly Item[]; readonly metadata: object };
    return { ...answer, body: JSON.stringify({ ...list, items: other(list.items) }) };
  };
  return always({ alter });
}

interface Item {
  readonly metadata: { readonly name: string };
}

const empty: ClusterFault = always({
  alter: ({ body, ...answer }) => {
    const { kind } = JSON.parse(body) as { readonly kind: string };
    return { ...answer, body: JSON.stringify({ kind, metadata: {}, items: [] }) };
  },
});

const later = /services\?.*continue=/;
const doubt =
  /lists no .*, so its answers cannot be trusted: see whether the context points at a whole cluster/;

const rows: readonly Row[] = [
  {
    ...{
      lists: "break off on a later page once",
      fault: always("reset"),
      lasts: "at first",
      path: later,
    },
    ...{ end: "done", sentence: /./, patience: 500 },
  },
  {
    ...{
      lists: "break off on every later page",
      fault: always("reset"),
      lasts: "for good",
      path: later,
    },
    ...{ sentence: /the connection was lost/, patience: 9_000 },
  },
  {
    lists: "expire before they are read to their end",
    fault: (_request, at, mesh) => ({
      delay: () => {
        mesh.server(at).forgetLists();
        return Promise.resolve();
      },
    }),
    ...{ lasts: "for good", path: later, end: "done", sentence: /./, patience: 0 },
  },
  {
    ...{
      lists: "have always expired",
      fault: refusal(410, "Expired"),
      lasts: "for good",
      path: /services/,
    },
    ...{
      sentence: /no longer has the resource version at which to list services.*run again/,
      patience: 0,
    },
  },
  ...["namespaces", "services"].map((plural): Row => ({
    ...{ lists: `have no ${plural}, with status 200`, fault: empty, lasts: "for good" },
    ...{ path: new RegExp(`/${plural}\\?`), sentence: doubt, patience: 0 },
  })),
  ...(["endpoints", "links"] as const).map((plural): Row => ({
    ...{
      lists: `have no ${plural}, with status 200`,
      fault: empty,
      lasts: "for good",
      end: "done",
    },
    ...{ path: new RegExp(`/${plural}\\?`), sentence: /./, patience: 0 },
  })),
  {
    lists: "lack the namespace kube-system",
    fault: items((all) => all.filter(({ metadata: { name } }) => name !== "kube-system")),
    ...{ lasts: "for good", path: /\/namespaces\?/, sentence: doubt, patience: 0 },
  },
  {
    lists: "lack the Service default/kubernetes",
    fault: items((all) => all.filter(({ metadata: { name } }) => name !== "kubernetes")),
    ...{ lasts: "for good", path: /\/services\?/, sentence: doubt, patience: 0 },
  },
];

describe("a cluster whose lists", () => {
  for (const { lists, end, ...row } of rows)
    describe(lists, () => {
      for (const phase of reading)
        for (const at of phases[phase].asksTargets
          ? (["east", "west"] as const)
          : (["east"] as const)) {
          const cell: Cell = { ...row, phase, at, end: end ?? away[phase] };
          it(`${phase}, as ${at === "east" ? "a source" : "a target"}: ${cell.end}`, () =>
            expectCell(cell));
        }
    });
});

/**
 * A list without a resourceVersion is read from etcd, so that no API server may answer it from a
 * cache; those that do, or stand on an etcd that was restored, show the past. When a source does so
 * to `pulumi destroy`, nobody can tell it from one in which nothing is left to delete.
 */
describe("a server that has fallen behind", () => {
  const pasts: readonly [what: string, past: (mesh: Mesh, at: string) => Promise<ApiServer>][] = [
    ["before anything was mirrored", (_mesh, at) => Promise.resolve(founded().server(at))],
    [
      "before what has changed since the last run",
      async (_mesh, at) => (await changed(false)).server(at),
    ],
  ];
  const lists: readonly [what: string, path: RegExp][] = [
    ["all of it", /limit=/],
    ["its Services alone", /services\?/],
    ["its Endpoints alone", /endpoints\?/],
  ];
  for (const [what, past] of pasts)
    for (const [which, path] of lists)
      for (const phase of ["while it plans", "while it looks again before it writes"] as const)
        for (const at of ["east", "west"])
          it(`${phase} shows ${which} of ${at} as it was ${what}: nothing is lost, and the next run sees the rest`, async () => {
            const mesh = await changed();
            const behind = await past(mesh, at);
            const { plan, hits } = faultPlan(
              () => ({ by: behind }),
              "for good",
              (request) => phases[phase].isPart(request) && path.test(request.path),
            );
            const ended = await phases[phase].run(mesh, (cluster) =>
              cluster === at ? plan : undefined,
            );
            // Of the mirror that has to be replaced, the past may say what can't be made of the present.
            if (ended.failure !== undefined)
              match(
                ended.failure,
                /^the Service .* on east changed .*: run again\neverything else/,
              );
            count("faults tried", hits.size);
            await expectNoOtherDeletion("up", mesh);
            await expectRecovery({}, phases[phase], mesh);
          });
});
