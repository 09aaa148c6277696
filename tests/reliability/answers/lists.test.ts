import { match } from "node:assert/strict";

import type { ApiServer } from "../../simulation/api-server.ts";
import type { Mesh } from "../../simulation/mesh.ts";
import { count } from "../effort.ts";
import { type Cell, type End, expectCell, expectNoOtherDeletion, expectRecovery } from "./cell.ts";
import { always, type ClusterFault, faultPlan, refusal } from "./faults.ts";
import { type PhaseName, phases } from "./phases.ts";
import { changed, founded } from "./mesh.ts";

/** What an outage is in each phase that reads. */
const away = {
  "while it plans": "told",
  "while it looks again before it writes": "failed",
  "while it looks what to destroy": "failed",
} as const satisfies Partial<Record<PhaseName, End>>;
const reading = Object.keys(away) as (keyof typeof away)[];

interface Row extends Pick<Cell, "fault" | "path"> {
  readonly lists: string;
  /** Defaults to the end of an outage. */
  readonly end?: "done";
  /** Defaults to any sentence. */
  readonly sentence?: RegExp;
  /** Defaults to 0. */
  readonly patience?: number;
}

interface List {
  readonly kind: string;
  readonly metadata: object;
  readonly items: readonly { readonly metadata: { readonly name: string } }[];
}

/** An answer with another list. */
function listing(other: (list: List) => Partial<List>): ClusterFault {
  return always({
    alter: ({ body, ...answer }) => {
      const list = JSON.parse(body) as List;
      return { ...answer, body: JSON.stringify({ ...list, ...other(list) }) };
    },
  });
}

const empty = listing(() => ({ metadata: {}, items: [] }));
const doubt =
  /lists no .*, so its answers cannot be trusted: check that its context points to a whole cluster/;

const rows: readonly Row[] = [
  {
    lists: "have always expired",
    fault: refusal(410, "Expired"),
    path: /services/,
    sentence: /no longer has the resource version at which to list services.*run again/,
  },
  ...["namespaces", "services"].map((plural) => ({
    lists: `have no ${plural}, with status 200`,
    fault: empty,
    path: new RegExp(`/${plural}\\?`),
    sentence: doubt,
  })),
  ...["endpoints", "links"].map((plural) => ({
    lists: `have no ${plural}, with status 200`,
    fault: empty,
    path: new RegExp(`/${plural}\\?`),
    end: "done" as const,
  })),
  ...["namespaces", "services", "endpoints"].map((plural) => ({
    lists: `fail, of ${plural} alone`,
    fault: refusal(500, "InternalError"),
    path: new RegExp(`/${plural}\\?`),
    sentence: /\(status 500\) after 8 attempts/,
    patience: 9_000,
  })),
  ...[refusal(404, "NotFound"), refusal(403, "Forbidden")].map((fault, index) => ({
    lists: `of Links are ${index === 0 ? "not served" : "forbidden"}`,
    fault,
    path: /\/links\?/,
    end: "done" as const,
  })),
];

describe("a cluster whose lists", () => {
  for (const { lists, end, ...row } of rows)
    describe(lists, () => {
      for (const phase of reading)
        for (const at of phases[phase].asksTargets
          ? (["east", "west"] as const)
          : (["east"] as const)) {
          const rest = { lasts: "for good" as const, sentence: /./, patience: 0, ...row };
          const cell: Cell = { ...rest, phase, at, end: end ?? away[phase] };
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
describe("an API server with stale data", () => {
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
            // For the mirror that has to be replaced, the list of the previous run may say what this run can't know.
            if (ended.failure !== undefined)
              match(
                ended.failure,
                /^the Service .* on east (changed|became) .*: run again\neverything else/,
              );
            count("faults tried", hits.size);
            await expectNoOtherDeletion("up", mesh);
            await expectRecovery({}, phases[phase], mesh);
          });
});
