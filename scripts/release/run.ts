import { spawnSync, type SpawnSyncOptions } from "node:child_process";
import { UserError } from "@linkerd-multicluster/engine/base";

/** Returns the standard output of a program. Throws what it printed if it fails. */
export function run(program: string, ...args: readonly string[]): string {
  return runIn({}, program, ...args);
}

export function runIn(
  options: Pick<SpawnSyncOptions, "cwd" | "env">,
  program: string,
  ...args: readonly string[]
): string {
  const end = spawnSync(program, args, { ...options, encoding: "utf8", maxBuffer: 1 << 28 });
  if (end.status === 0) return end.stdout;
  const said = end.error?.message ?? `${end.stdout.slice(-2_000)}${end.stderr}`;
  throw new UserError(`${program} ${args.join(" ")} failed: ${said}`);
}
