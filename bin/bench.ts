/** `npm run bench`: measures what a run costs, on real API servers and in the real engine (docs/reference/performance.md). */
import { parseArgs } from "node:util";

import { cellsOf, type Figure } from "../testbed/bench/figure.ts";
import { measureFirstUp, measurePods } from "../testbed/bench/first-up.ts";
import { measureFixedCost } from "../testbed/bench/fixed-cost.ts";
import { measureManyMirrors } from "../testbed/bench/many-mirrors.ts";
import { measureMesh } from "../testbed/bench/mesh.ts";
import { measurePurePlan } from "../testbed/bench/pure-plan.ts";
import { measureServiceMirror } from "../testbed/bench/service-mirror.ts";
import { measureWatch } from "../testbed/bench/watch.ts";
import { BedError, complain } from "../testbed/errors.ts";
import { isFile } from "../testbed/path.ts";
import { columns } from "../testbed/table.ts";

const USAGE = `Usage: npm run bench -- [--rows plan,fixed,first,pods,many,mesh,watch,service-mirror]
                        [--output table|json]
  --first 1000       exports of the first up
  --pods 1000        of the row pods: the pods of all StatefulSets, ten of each
  --mirrors 10000    of the row many: no-op, memory, politeness, a few changes, state
  --clusters 20      of the full mesh, and --exports 20 of each of them
  --services 100000  of the pure plan
  --watched 1000     mirrors that the watch keeps, of --watched-clusters 2; each change is made --times times
  --compared 300     exports of the row service-mirror, which needs --service-mirror: Linkerd's program controller
  --times 3          how often what is quick is repeated; the least counts`;

/** The flags that are numbers, with what they are by default. */
const defaults = {
  ...{ first: 1_000, pods: 1_000, mirrors: 10_000, services: 100_000 },
  ...{ clusters: 20, exports: 20, times: 3 },
  ...{ watched: 1_000, "watched-clusters": 2, compared: 300 },
};

type Sizes = Readonly<Record<keyof typeof defaults, number>>;

interface Request extends Sizes {
  /** Path of Linkerd's controller. */
  readonly serviceMirror?: string | undefined;
}

/** Each starts what it needs, and stops it again. */
const rows: Readonly<Record<string, (request: Request) => Promise<readonly Figure[]>>> = {
  plan: ({ services, times }) => Promise.resolve(measurePurePlan(services, times)),
  fixed: ({ times }) => measureFixedCost(times),
  first: ({ first }) => measureFirstUp(first),
  pods: ({ pods }) => measurePods(pods),
  many: ({ mirrors, times }) => measureManyMirrors(mirrors, times),
  mesh: ({ clusters, exports }) => measureMesh({ clusters, exports }),
  watch: ({ watched, "watched-clusters": clusters, times }) =>
    measureWatch({ clusters, mirrors: watched, rounds: times }),
  "service-mirror": ({ serviceMirror, compared }) => {
    if (serviceMirror !== undefined) return measureServiceMirror(compared, serviceMirror);
    console.error("  left out: --service-mirror PATH names Linkerd's controller, to compare with");
    return Promise.resolve([]);
  },
};

try {
  await main();
} catch (error) {
  complain(error, USAGE);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      ...sizeOptions(),
      rows: { type: "string", default: Object.keys(rows).join() },
      "service-mirror": { type: "string" },
      output: { type: "string", short: "o", default: "table" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return;
  }
  const sizes = mapped((name) => Number(values[name]));
  const areSizes = Object.values(sizes).every((each) => Number.isInteger(each) && each > 0);
  const isFormat = values.output === "table" || values.output === "json";
  if (!areSizes || sizes.clusters < 2 || sizes["watched-clusters"] < 2 || !isFormat)
    throw new BedError(USAGE);
  const serviceMirror = values["service-mirror"];
  if (serviceMirror !== undefined && !(await isFile(serviceMirror)))
    throw new BedError(`--service-mirror: there is no program ${serviceMirror}.`);
  const measures = values.rows.split(",").map((name) => {
    const measure = rows[name];
    if (measure === undefined) throw new BedError(`There is no row ${name}.\n${USAGE}`);
    return { name, measure };
  });
  const figures: Figure[] = [];
  for (const { name, measure } of measures) {
    console.error(`${name}...`);
    const measured = await measure({ ...sizes, serviceMirror });
    figures.push(...measured);
    // At once, so that what was measured is not lost where a later row fails or is stopped.
    if (values.output === "table" && measured.length > 0)
      console.log(columns(measured.map(cellsOf)));
  }
  if (values.output === "json") console.log(JSON.stringify(figures, null, 2));
}

function sizeOptions() {
  return mapped((name) => ({ type: "string", default: String(defaults[name]) }) as const);
}

/** Something of each of the flags that are numbers. */
function mapped<T>(of: (name: keyof Sizes) => T): Record<keyof Sizes, T> {
  const names = Object.keys(defaults) as (keyof Sizes)[];
  return Object.fromEntries(names.map((name) => [name, of(name)])) as Record<keyof Sizes, T>;
}
