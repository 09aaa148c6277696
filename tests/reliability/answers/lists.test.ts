import { match } from "node:assert/strict";

import type { Mesh } from "../../simulation/mesh.ts";
import { count } from "../effort.ts";
import { type Cell, type End, expectCell, expectNoOtherDeletion, expectRecovery } from "./cell.ts";
import { always, type ClusterFault, faultPlan, refusal } from "./faults.ts";
import { disturbedIn, type PhaseName, phases } from "./phases.ts";
import { changed, founded } from "./mesh.ts";

/** How an outage ends in each phase that reads. */
const away = {
  "while it plans": "told",
  "while it looks again before it writes": "failed",
  "while it looks what to destroy": "failed",
} as const satisfies Partial<Record<PhaseName, End>>;
const reading = Object.keys(away) as (keyof typeof away)[];

interface Row extends Pick<Cell, "fault" | "path" | "sentence" | "patience"> {
  readonly lists: string;
  /** The default is the end of an outage. */
  readonly end?: "done" | "failed";
}

interface List {
  readonly kind: string;
  readonly metadata: object;
  readonly items: readonly { readonly metadata: { readonly name: string } }[];
}

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

/** Puts a text of JSON into a field of the first object that a list shows. */
function holding(plural: string, field: string, json: string): Pick<Row, "path" | "fault"> {
  const fault = always({
    alter: ({ body, ...answer }) => {
      const list = JSON.parse(body) as List;
      const items = list.items.map((item, nth) => (nth > 0 ? item : { ...item, [field]: "held" }));
      return { ...answer, body: JSON.stringify({ ...list, items }).replace('"held"', json) };
    },
  });
  return { path: new RegExp(`/${plural}\\?`), fault };
}

const entries = (count: number) => `[${"{},".repeat(count - 1)}{}]`;

const excessive: readonly Row[] = [
  ...["namespaces", "services", "endpoints"].map((plural) => ({
    lists: `have ${plural} that are 50,000 levels deep`,
    ...holding(plural, "status", "[".repeat(50_000) + "]".repeat(50_000)),
    end: "failed" as const,
    sentence: /the answer has more than 100 levels of lists and maps/,
  })),
  {
    lists: "have more entries in an object than etcd stores",
    ...holding("endpoints", "subsets", entries(320_001)),
    end: "failed",
    sentence: /subsets has more than 320,000 entries/,
  },
  {
    lists: "have Endpoints with billions of pairs of an address and a port",
    ...holding(
      "endpoints",
      "subsets",
      `[{"addresses":[${Array(2_000).fill('{"ip":"10.0.0.1"}').join()}],"ports":[${Array(2_000).fill('{"port":1}').join()}]}]`,
    ),
    end: "failed",
    sentence: /subsets have more than 1,000,000 pairs of an address and a port/,
  },
];

describe("a cluster whose lists", () => {
  for (const { lists, end, ...row } of [...rows, ...excessive])
    describe(lists, () => {
      for (const phase of reading)
        for (const at of disturbedIn(phase)) {
          const cell: Cell = { ...row, lasts: "for good", phase, at, end: end ?? away[phase] };
          it(`${phase}, as ${at === "east" ? "a source" : "a target"}: ${cell.end}`, () =>
            expectCell(cell));
        }
    });
});

/**
 * Lists without a resourceVersion are read from etcd, and no API server may answer them from a cache. One that does, or
 * whose etcd was restored, shows the past. If a source does so to `pulumi destroy`, nobody can tell it from one that
 * has nothing left to delete.
 */
describe("an API server with stale data", () => {
  const pasts: Readonly<Record<string, () => Promise<Mesh>>> = {
    "before anything was mirrored": () => Promise.resolve(founded()),
    "before what has changed since the last run": () => changed(false),
  };
  const lists = {
    "all of it": /limit=/,
    "its Services alone": /services\?/,
    "its Endpoints alone": /endpoints\?/,
  };
  for (const [what, past] of Object.entries(pasts))
    for (const [which, path] of Object.entries(lists))
      for (const phase of ["while it plans", "while it looks again before it writes"] as const)
        for (const at of ["east", "west"])
          it(`${phase} shows ${which} of ${at} as it was ${what}: nothing is lost, and the next run sees the rest`, async () => {
            const mesh = await changed();
            const behind = (await past()).server(at);
            const { plan, hits } = faultPlan(
              () => ({ by: behind }),
              "for good",
              (request) => phases[phase].isPart(request) && path.test(request.path),
            );
            const ended = await phases[phase].run(mesh, (cluster) =>
              cluster === at ? plan : undefined,
            );
            // The previous run's list may name the mirror that has to be replaced, which this run doesn't see.
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
