// `npm test` checks everything that needs no programs but those of the test bed; `npm test -- FILE...` runs the tests in
// these files and nothing else, and mocha takes any other argument: `npm test -- tests/e2e/mirroring/dns.test.ts --grep pod`.
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import process from "node:process";

const args = process.argv.slice(2);

// Every run of the engine starts three Node processes, most of whose time goes into compiling Pulumi's SDK.
process.env.NODE_COMPILE_CACHE ??= resolve("node_modules/.cache/compiled");

/**
 * End-to-end tests wait for other programs half of the time, so the others run beside them. Each group
 * starts one bed of three clusters, which its files share.
 */
const groups = [
  ["tests/e2e/mesh/*.test.ts"],
  ["tests/e2e/mirroring/*.test.ts"],
  ["tests/{unit,components,reliability}/**/*.test.ts"],
];

if (args.length === 0) {
  await both(["npm", "run", "--silent", "lint"], ["npm", "run", "--silent", "types"]);
  await everything();
} else {
  const files = args.some((arg) => existsSync(arg)) ? [] : groups.flat();
  const { status } = spawnSync("mocha", [...files, ...args], { stdio: "inherit" });
  process.exit(status ?? 1);
}

/** What the first group says comes at once, that of the others afterwards, and then one line for all. */
async function everything() {
  const ends = await Promise.all(groups.map((files, index) => mocha(files, index === 0)));
  for (const { output, isShown } of ends) if (!isShown) process.stdout.write(output);
  // A log that is cut keeps its end.
  for (const { output } of ends) process.stdout.write(failuresIn(output));
  const counts = ends.map(({ output }) => countsIn(output));
  const sum = (index) => counts.reduce((all, each) => all + (each[index] ?? 0), 0);
  process.stdout.write(
    "not run: tests/linkerd, which needs Linkerd's programs (npm run test:linkerd)\n" +
      "not run: tests/languages, which needs Pulumi's hosts of languages (npm run test:languages)\n" +
      "not run: tests/operated, which needs root, podman and systemd (npm run test:operated)\n",
  );
  process.stdout.write(`${sum(0)} passed, ${sum(1)} failed, ${sum(2)} skipped\n`);
  process.exit(Math.max(...ends.map(({ code }) => code)));
}

async function both(...commands) {
  const codes = await Promise.all(
    commands.map(([program, ...words]) => ended(spawn(program, words, { stdio: "inherit" }))),
  );
  if (codes.some((code) => code !== 0)) process.exit(1);
}

async function mocha(files, isShown) {
  // A pipe is no terminal, of which colours would depend.
  const colour = process.stdout.isTTY ? ["--color"] : [];
  const child = spawn("mocha", [...colour, ...files], { stdio: ["inherit", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (data) => {
    output += data;
    if (isShown) process.stdout.write(data);
  });
  const code = await ended(child);
  return { code, output, isShown };
}

/** The exit code of a program of node_modules/.bin, where npm has put it on PATH. */
function ended(child) {
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      resolve(code ?? 1);
    });
  });
}

/** The reporter lists the tests that failed after all results, perhaps in colour. */
function failuresIn(output) {
  const at = output.search(/^\S* +\d+ failing/m);
  return at < 0 ? "" : `${output.slice(at)}\n`;
}

/** From the last line that the reporter prints (closing-line.cjs). */
function countsIn(output) {
  const [line = ""] = output.match(/^\d+ passed, \d+ failed, \d+ skipped$/gm)?.slice(-1) ?? [];
  return line.match(/\d+/g)?.map(Number) ?? [0, 1, 0];
}
