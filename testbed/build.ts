import { copyFile, mkdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import { execa } from "execa";

import { BedError } from "./errors.ts";
import { isFile, programOnPath } from "./path.ts";
import { type Watchdog, startWatchdog } from "./watchdog.ts";

/** How to build one program with Go. */
export interface Build {
  readonly name: string;
  /** The folder whose go.mod and go.sum pin everything that goes in. */
  readonly module: string;
  readonly package: string;
  /**
   * String variables of the program that tell it its version, which is a Go module's: {version}, {major} and {minor}
   * stand for its parts.
   */
  readonly version?: {
    readonly module: string;
    readonly variables: Readonly<Record<string, string>>;
  };
  /** Files of a Go module to lay beside the program. */
  readonly files?: { readonly module: string; readonly names: readonly string[] };
}

export interface Target {
  readonly build: Build;
  /** The program's path: its folder is its own. */
  readonly target: string;
}

/**
 * Builds what is still missing. Programs appear whole or not at all: each is built in a folder beside its own, which is
 * then renamed. Go's caches are kept when a build is interrupted, to go on from there, and deleted at the end:
 * gigabytes that nothing needs any more.
 */
export async function build(
  targets: readonly Target[],
  modules: string,
  cache: string,
  report: (text: string) => void,
): Promise<void> {
  const missing: Target[] = [];
  for (const target of targets) {
    // Another process may have built it while this one waited for the lock.
    if (!(await isFile(target.target))) missing.push(target);
  }
  if (missing.length === 0) return;
  const go = await programOnPath("go");
  if (go === undefined) throw new BedError(goIsMissing(missing.map(({ build }) => build.name)));

  const caches = join(cache, "building");
  const environment = {
    ...process.env,
    CGO_ENABLED: "0",
    GOCACHE: join(caches, "build"),
    GOFLAGS: "-modcacherw -buildvcs=false",
    GOMODCACHE: join(caches, "mod"),
    GOPATH: join(caches, "go"),
    GOWORK: "off",
  };
  for (const [index, { build, target }] of missing.entries()) {
    const started = performance.now();
    report(`building ${build.name} (${index + 1}/${missing.length})... `);
    const draft = `${dirname(target)}.draft-${process.pid}`;
    await mkdir(draft, { recursive: true });
    const watchdog = startWatchdog(draft);
    const run = (...args: string[]): Promise<string> =>
      runGo(build.name, go, args, join(modules, build.module), environment, watchdog);
    try {
      await run(
        "build",
        "-trimpath",
        "-ldflags",
        await linkerFlags(build, run),
        "-o",
        join(draft, build.name),
        build.package,
      );
      if (build.files !== undefined) {
        const folder = (await run("list", "-m", "-f", "{{.Dir}}", build.files.module)).trim();
        for (const name of build.files.names) {
          await copyFile(join(folder, name), join(draft, basename(name)));
        }
      }
      await rm(dirname(target), { recursive: true, force: true });
      await rename(draft, dirname(target));
    } catch (error) {
      report("failed\n");
      throw error;
    } finally {
      await watchdog.end();
    }
    report(`${Math.round((performance.now() - started) / 1000)} s\n`);
  }
  await rm(caches, { recursive: true, force: true });
}

async function linkerFlags(
  { version }: Build,
  run: (...args: string[]) => Promise<string>,
): Promise<string> {
  if (version === undefined) return "-s -w";
  const full = (await run("list", "-m", "-f", "{{.Version}}", version.module)).trim();
  const [major = "", minor = ""] = full.slice(1).split(".");
  const flags = Object.entries(version.variables).map(([name, template]) => {
    const value = template
      .replace("{version}", full.slice(1))
      .replace("{major}", major)
      .replace("{minor}", minor);
    return `-X ${name}=${value}`;
  });
  return ["-s -w", ...flags].join(" ");
}

function goIsMissing(names: readonly string[]): string {
  return (
    `The test bed needs ${names.join(", ")}: not on PATH, not built yet, and Go, which would build them, is not on ` +
    "PATH either. Install Go 1.26 or later and run this again, or put these programs on PATH " +
    "(Kubernetes' own may also lie in KUBEBUILDER_ASSETS)."
  );
}

async function runGo(
  name: string,
  go: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  watchdog: Watchdog,
): Promise<string> {
  const child = execa(go, args, { cwd, env, detached: true, reject: false, stdin: "ignore" });
  watchdog.guard(child.nodeChildProcess);
  const { failed, stdout, stderr } = await child;
  if (!failed) return stdout;
  const last = stderr.trim().split("\n").slice(-8).join("\n");
  throw new BedError(`Building ${name} failed: go ${args[0] ?? ""} in ${cwd} says:\n${last}`);
}
