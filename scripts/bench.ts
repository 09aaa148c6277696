/** `npm run bench` measures what a run costs, on real API servers and in the real engine. */
import { parseArgs } from "node:util";

import { messageOf, UserError } from "@linkerd-multicluster/engine/base";
import { cellsOf, type Figure } from "./bench/figure.ts";
import { measureDestroy } from "./bench/destroy.ts";
import { measureAway } from "./bench/away.ts";
import { measureBurst, measureRestart, measureWatch } from "./bench/watch.ts";
import { measureScale } from "./bench/scale.ts";
import { measureFirstUp } from "./bench/first-up.ts";
import { measureFixedCost } from "./bench/fixed-cost.ts";
import { measureManyMirrors } from "./bench/many-mirrors.ts";
import { type Kind, measureMesh } from "./bench/mesh.ts";
import { measureServiceMirror } from "./bench/service-mirror.ts";
import { complain } from "./complain.ts";
import { isFile } from "../tests/bed/path.ts";
import { columns } from "../tests/bed/table.ts";

interface Row {
  readonly size: number;
  readonly of: string;
  readonly measure: (size: number, times: number, kind: Kind) => Promise<readonly Figure[]>;
}

const beside = "service-mirror";

const rows: Readonly<Record<string, Row>> = {
  fixed: {
    size: 1,
    of: "mirror, with nothing to do",
    measure: (_, times) => measureFixedCost(times),
  },
  first: {
    size: 1_000,
    of: "exports of the first up",
    measure: (size, _, kind) => measureFirstUp(size, kind),
  },
  many: {
    size: 10_000,
    of: "mirrors: no-op, memory, politeness, a few changes",
    measure: measureManyMirrors,
  },
  destroy: {
    size: 10_000,
    of: "gateway mirrors that are deleted, beside a tenth as many",
    measure: measureDestroy,
  },
  mesh: {
    size: 20,
    of: "clusters that are all linked, with 20 exports each",
    measure: measureMesh,
  },
  watch: { size: 1_000, of: "mirrors that the watch keeps", measure: measureWatch },
  burst: { size: 500, of: "exports in 10 s, among 1,000 mirrors", measure: measureBurst },
  restart: { size: 100, of: "pods of a StatefulSet, one after the other", measure: measureRestart },
  away: { size: 10, of: "clusters, of which two are away and one lies", measure: measureAway },
  scale: { size: 100, of: "clusters with 100 exports each, simulated", measure: measureScale },
  [beside]: {
    size: 1_000,
    of: "exports at most, also by Linkerd's controller: --service-mirror",
    // Linkerd's controller takes so long that it is started before all others.
    measure: () => Promise.resolve([]),
  },
};

const USAGE = `Usage: npm run bench -- [--rows ${Object.keys(rows).join()}]
                        [--output table|json]
${Object.entries(rows)
  .map(([name, { size, of }]) => `  ${name.padEnd(14)}  ${size} ${of}`)
  .join("\n")}
  --size N                as many in each of these rows
  --flat                  first, many, watch and burst: mirrors without Endpoints, for flat networks
  --service-mirror PATH   Linkerd's program controller
  --times 3               how often what is quick is repeated; the least counts`;

try {
  await main();
} catch (error) {
  complain(error, USAGE);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rows: { type: "string", default: Object.keys(rows).join() },
      size: { type: "string" },
      times: { type: "string", default: "3" },
      flat: { type: "boolean", default: false },
      "service-mirror": { type: "string", default: "" },
      output: { type: "string", short: "o", default: "table" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return;
  }
  const times = Number(values.times);
  const size = Number(values.size ?? "2");
  const isCount = (count: number, least: number) => Number.isInteger(count) && count >= least;
  const isFormat = values.output === "table" || values.output === "json";
  if (!isCount(times, 1) || !isCount(size, 2) || !isFormat) throw new UserError(USAGE);
  const serviceMirror = values["service-mirror"];
  if (serviceMirror !== "" && !(await isFile(serviceMirror)))
    throw new UserError(`--service-mirror: there is no program ${serviceMirror}.`);
  const measures = values.rows.split(",").map((name) => {
    const row = rows[name];
    if (row === undefined) throw new UserError(`There is no row ${name}.\n${USAGE}`);
    return { name, ...row };
  });
  const figures: object[] = [];
  // Each row is printed at once, so that it is not lost if a later one fails or is stopped.
  const print = (name: string, measured: readonly Figure[]) => {
    figures.push(...measured.map((figure) => ({ row: name, ...figure })));
    if (values.output === "table" && measured.length > 0)
      console.log(columns(measured.map((figure) => [name, ...cellsOf(figure)])));
  };
  // Nor are the other rows, if one fails.
  const measured = async (name: string, measure: () => Promise<readonly Figure[]>) => {
    console.error(`${name}...`);
    try {
      print(name, await measure());
    } catch (error) {
      console.error(`${name} failed: ${messageOf(error)}`);
      process.exitCode = 1;
    }
  };
  const sizeOf = (row: Row) => (values.size === undefined ? row.size : size);
  const other = measures.find(({ name }) => name === beside);
  if (other !== undefined) console.error(`${beside}...`);
  if (other !== undefined && serviceMirror === "")
    console.error("  left out: --service-mirror PATH names Linkerd's controller, to compare with");
  const started =
    other && serviceMirror !== ""
      ? await measureServiceMirror(sizeOf(other), serviceMirror)
      : { rest: Promise.resolve([]) };
  started.rest.catch(() => undefined);
  for (const { name, ...row } of measures) {
    if (name === beside) continue;
    await measured(name, () => row.measure(sizeOf(row), times, values.flat ? "flat" : "gateway"));
  }
  if (other !== undefined) await measured(beside, () => started.rest);
  if (values.output === "json") console.log(JSON.stringify(figures, null, 2));
}
