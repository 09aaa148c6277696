/** `npm run bench`: measures what a run costs, on real API servers and in the real engine (docs/performance.md). */
import { parseArgs } from "node:util";

import { cellsOf, type Figure } from "../testbed/bench/figure.ts";
import { measureFirstUp } from "../testbed/bench/first-up.ts";
import { measureFixedCost } from "../testbed/bench/fixed-cost.ts";
import { measureManyMirrors } from "../testbed/bench/many-mirrors.ts";
import { measureMesh } from "../testbed/bench/mesh-row.ts";
import { measurePods } from "../testbed/bench/pods.ts";
import { measurePurePlan } from "../testbed/bench/pure-plan.ts";
import { measureServiceMirror } from "../testbed/bench/service-mirror.ts";
import { measureStacks } from "../testbed/bench/stacks.ts";
import { measureWatchRow } from "../testbed/bench/watch-row.ts";
import { BedError, complain } from "../testbed/errors.ts";
import { isFile } from "../testbed/path.ts";
import { table } from "../testbed/table.ts";

const USAGE = `Usage: npm run bench -- [--rows plan,fixed,first,pods,many,mesh,stacks,watch,service-mirror]
                        [--output table|json]
  --first 1000       exports of the first up
  --pods 1000        of the row pods: the pods of all StatefulSets, ten of each
  --mirrors 10000    of the row many: no-op, memory, politeness, a few changes, state
  --clusters 20      of the full mesh, and --exports 20 of each of them
  --stacks 4         of the row stacks: how many of the stacks with one source each are run
  --services 100000  of the pure plan
  --watched 1000     mirrors that the watch keeps, of --watched-clusters 2; each change is made --times times
  --compared 300     exports of the row service-mirror, which needs --service-mirror: Linkerd's program controller
  --times 3          how often what is quick is repeated; the least counts`;

type Sizes = Readonly<
  Record<
    | "first"
    | "pods"
    | "mirrors"
    | "clusters"
    | "exports"
    | "stacks"
    | "services"
    | "times"
    | "watched"
    | "watchedClusters"
    | "compared",
    number
  >
>;

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
  stacks: ({ clusters, exports, stacks }) =>
    measureStacks({ clusters, exports }, stacks, console.error),
  watch: ({ watched, watchedClusters, times }) =>
    measureWatchRow({ clusters: watchedClusters, mirrors: watched, rounds: times }),
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
  const size = (value: string) => ({ type: "string", default: value }) as const;
  const { values } = parseArgs({
    options: {
      rows: { type: "string", default: Object.keys(rows).join() },
      ...{ first: size("1000"), pods: size("1000") },
      ...{ mirrors: size("10000"), services: size("100000") },
      ...{ clusters: size("20"), exports: size("20"), stacks: size("4"), times: size("3") },
      ...{ watched: size("1000"), "watched-clusters": size("2") },
      ...{ compared: size("300"), "service-mirror": { type: "string" } },
      output: { type: "string", short: "o", default: "table" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return;
  }
  const sizes: Sizes = {
    ...{ first: Number(values.first), pods: Number(values.pods) },
    mirrors: Number(values.mirrors),
    ...{ clusters: Number(values.clusters), exports: Number(values.exports) },
    stacks: Number(values.stacks),
    ...{ services: Number(values.services), times: Number(values.times) },
    ...{ watched: Number(values.watched), watchedClusters: Number(values["watched-clusters"]) },
    compared: Number(values.compared),
  };
  const areSizes = Object.values(sizes).every((each) => Number.isInteger(each) && each > 0);
  const isFormat = values.output === "table" || values.output === "json";
  if (!areSizes || sizes.clusters < 2 || sizes.watchedClusters < 2 || !isFormat)
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
    if (values.output === "table" && measured.length > 0) console.log(table(measured.map(cellsOf)));
  }
  if (values.output === "json") console.log(JSON.stringify(figures, null, 2));
}
