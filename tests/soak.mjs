// `npm run soak` repeats the randomized tests: `npm run soak -- --times 50 --seed 7` with 50 times the effort of
// `npm test`, from that seed. Files may be named. `npm run soak -- watch --minutes 60` runs `linkerd-clusters watch` for so long
// under random changes and faults.
import { spawnSync } from "node:child_process";
import process from "node:process";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  options: {
    times: { type: "string", default: "20" },
    minutes: { type: "string", default: "60" },
    seed: { type: "string" },
  },
  allowPositionals: true,
});
const named = positionals.map((name) => (name === "watch" ? "tests/soak/watch.ts" : name));
const files = named.length > 0 ? named : ["tests/reliability/**/*.test.ts"];
const { times, minutes, seed } = values;
const env = { ...process.env, SOAK: times, MINUTES: minutes, ...(seed && { SEED: seed }) };
const { status } = spawnSync("mocha", ["--timeout", "0", ...files], { stdio: "inherit", env });
process.exit(status ?? 1);
