/** `npm run bench`: measures a full mesh of real API servers in the real engine. */
import { parseArgs } from "node:util";

import { measure, type Measured } from "../testbed/bench/measure.ts";
import { BedError, codeOf } from "../testbed/errors.ts";
import { table } from "../testbed/table.ts";

const USAGE =
  "Usage: npm run bench -- [--clusters 10] [--exports 50] [--output table|json]; exports are those of each cluster.";

try {
  await main();
} catch (error) {
  const isOurs = error instanceof BedError;
  if (!isOurs && codeOf(error)?.startsWith("ERR_PARSE_ARGS") !== true) throw error;
  console.error(isOurs ? error.message : USAGE);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      clusters: { type: "string", default: "10" },
      exports: { type: "string", default: "50" },
      output: { type: "string", short: "o", default: "table" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const [clusters, exports] = [Number(values.clusters), Number(values.exports)];
  const isSize = Number.isInteger(clusters) && Number.isInteger(exports);
  const isFormat = values.output === "table" || values.output === "json";
  if (!isSize || clusters < 2 || exports < 1 || !isFormat) throw new BedError(USAGE);
  if (values.help) {
    console.log(USAGE);
    return;
  }
  const measured = await measure({ clusters, exports }, (text) => {
    console.error(`${text}...`);
  });
  console.log(values.output === "json" ? JSON.stringify(measured, null, 2) : table(rows(measured)));
}

function rows({ seconds, ...counts }: Measured): string[][] {
  const shown = (value: number): string => `${value.toFixed(1)} s`;
  return [
    ["clusters, exports each", `${counts.clusters}, ${counts.exports}`],
    ["links, mirrors", `${counts.links}, ${counts.mirrors}`],
    ["resources", String(counts.resources)],
    ["state", `${(counts.stateBytes / 1e6).toFixed(2)} MB`],
    ["first preview", shown(seconds.preview)],
    ["first up", shown(seconds.up)],
    ["preview with nothing to do", shown(seconds.previewNothing)],
    ["the same writes by a bare client", shown(seconds.bareWrites)],
    ["first up / bare writes", counts.ratio.toFixed(1)],
  ];
}
