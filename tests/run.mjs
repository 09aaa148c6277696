// `npm test` checks everything; `npm test -- FILE...` runs the tests in these files and nothing else, and mocha takes
// any other argument: `npm test -- tests/e2e/names.test.ts --grep both`.
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import process from "node:process";

const args = process.argv.slice(2);

if (args.length === 0) {
  run("npm", "run", "--silent", "lint");
  run("npm", "run", "--silent", "types");
  await everything();
} else {
  const files = args.some((arg) => existsSync(arg)) ? [] : ["tests/**/*.test.ts"];
  run("mocha", ...files, ...args);
}

/**
 * The end-to-end tests wait for other programs half of the time, so all others run beside them. What
 * these say comes afterwards, and then one line for all.
 */
async function everything() {
  const ends = await Promise.all([
    mocha("inherit", "tests/e2e/**/*.test.ts"),
    mocha("later", "tests/{unit,components,reliability}/**/*.test.ts"),
  ]);
  for (const { output, isShown } of ends) if (!isShown) process.stdout.write(output);
  const counts = ends.map(({ output }) => countsIn(output));
  const sum = (index) => counts.reduce((all, each) => all + (each[index] ?? 0), 0);
  process.stdout.write(`${sum(0)} passed, ${sum(1)} failed, ${sum(2)} skipped\n`);
  process.exit(Math.max(...ends.map(({ code }) => code)));
}

function mocha(show, files) {
  const isShown = show === "inherit";
  // A pipe is no terminal, of which colours would depend.
  const colour = process.stdout.isTTY ? ["--color"] : [];
  const child = spawn("mocha", [...colour, files], { stdio: ["inherit", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (data) => {
    output += data;
    if (isShown) process.stdout.write(data);
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      resolve({ code: code ?? 1, output, isShown });
    });
  });
}

/** From the last line that the reporter prints (closing-line.cjs). */
function countsIn(output) {
  const [line = ""] = output.match(/^\d+ passed, \d+ failed, \d+ skipped$/gm)?.slice(-1) ?? [];
  return line.match(/\d+/g)?.map(Number) ?? [0, 1, 0];
}

/** Programs of node_modules/.bin, where npm has put it on PATH. */
function run(program, ...words) {
  const { status } = spawnSync(program, words, { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
