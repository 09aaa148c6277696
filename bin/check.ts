/** `npm run check`: whether the mesh of a stack is in order. Exit code 0 if it is, else 1. */
import { checkMesh } from "../engine/health/run.ts";
import { optionsIn, usage } from "./check-options.ts";
import { table } from "../engine/health/report.ts";
import { meshOf } from "../config/stack-file.ts";

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const options = optionsIn(process.argv.slice(2));
  if (options.help) {
    process.stdout.write(`${usage}\n`);
    return;
  }
  const mesh = await meshOf(options, process.cwd(), process.env);
  const report = await checkMesh(mesh, { within: options.wait * 1000, every: 2_000 });
  const { output } = options;
  process.stdout.write(output === "json" ? `${JSON.stringify(report, null, 2)}\n` : table(report));
  process.exitCode = report.healthy ? 0 : 1;
}
