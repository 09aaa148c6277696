// `npm test` checks everything; `npm test -- FILE...` runs the tests in these files and nothing else, and mocha takes
// any other argument: `npm test -- tests/e2e/names.test.ts --grep both`.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import process from "node:process";

const args = process.argv.slice(2);
const files = args.some((arg) => existsSync(arg)) ? [] : ["tests/**/*.test.ts"];

if (args.length === 0) {
  run("npm", "run", "--silent", "lint");
  run("npm", "run", "--silent", "types");
}
run("mocha", ...files, ...args);

/** Programs of node_modules/.bin, where npm has put it on PATH. */
function run(program, ...words) {
  const { status } = spawnSync(program, words, { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
