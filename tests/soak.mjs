// `npm run soak` repeats the randomized tests: `npm run soak -- --times 50 --seed 7` with 50 times the effort of
// `npm test`, from that seed. Files may be named.
import { spawnSync } from "node:child_process";
import process from "node:process";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  options: { times: { type: "string", default: "20" }, seed: { type: "string" } },
  allowPositionals: true,
});
const files = positionals.length > 0 ? positionals : ["tests/reliability/**/*.test.ts"];
const env = { ...process.env, SOAK: values.times, ...(values.seed && { SEED: values.seed }) };
const { status } = spawnSync("mocha", ["--timeout", "0", ...files], { stdio: "inherit", env });
process.exit(status ?? 1);
