// `npm run test:node` runs the program on each line of Node that it supports, with npm's own builds of them: the unit and
// component tests, a stack in the real engine and the npm package in a program of its own. Versions and tests can be named:
// `npm run test:node -- 26 'tests/unit/config/**/*.test.ts'`.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import process from "node:process";

const words = process.argv.slice(2);
const isVersion = (word) => /^\d+(\.\d+)*$/.test(word);
const named = {
  versions: words.filter(isVersion),
  tests: words.filter((word) => !isVersion(word)),
};
// The oldest that package.json allows, and the lines that get fixes.
const versions = named.versions.length > 0 ? named.versions : ["22.18.0", "22", "24", "26"];
const tests =
  named.tests.length > 0
    ? named.tests
    : ["tests/{unit,components}/**/*.test.ts", "tests/e2e/mirroring/{engine,package}.test.ts"];

const ends = versions.map((version) => [version, on(version)]);
for (const [version, end] of ends) process.stdout.write(`Node ${version}: ${end}\n`);
process.exit(ends.some(([, end]) => end === "failed") ? 1 : 0);

function on(version) {
  const folder = resolve("node_modules/.cache/nodes", version);
  const bin = join(folder, "node_modules/node/bin");
  if (!existsSync(join(bin, "node"))) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), JSON.stringify({ allowScripts: { node: true } }));
    run("npm", ["install", "--prefix", folder, `node@${version}`], process.env);
  }
  const env = { ...process.env, PATH: [bin, process.env.PATH].join(delimiter) };
  if (!existsSync(join(bin, "node")) || run("node", ["--version"], env) !== 0)
    return "skipped, as npm could not install it";
  return run("mocha", ["--reporter", "dot", ...tests], env) === 0 ? "passed" : "failed";
}

function run(program, args, env) {
  return spawnSync(program, args, { stdio: "inherit", env }).status;
}
