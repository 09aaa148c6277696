import { mkdir, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import { execa } from "execa";

import { UserError } from "@linkerd-multicluster/engine/kubernetes";
import { isFile, programOnPath } from "./path.ts";
import { type Watchdog, startWatchdog } from "./watchdog.ts";

/** One command of Go builds these: what they share is compiled once, and they are linked side by side. */
export interface Batch {
  /** Its go.mod and go.sum pin everything that goes in. */
  readonly module: string;
  /** The last part of a package is the program's name. */
  readonly programs: Readonly<Record<string, string>>;
  /** These variables tell the programs their version, which is a Go module's, as {version}, {major} and {minor}. */
  readonly versions?: readonly {
    readonly module: string;
    readonly variables: Readonly<Record<string, string>>;
  }[];
  /** Programs on PATH do not replace them. */
  readonly builtAlways?: boolean;
}

export type Progress = (text: string) => void;

/** Builds these programs to these paths. Go's caches, gigabytes, stay only after an interruption. */
export async function build(
  batches: readonly Batch[],
  targets: ReadonlyMap<string, string>,
  cache: string,
  report: Progress,
): Promise<void> {
  for (const batch of batches) {
    const names = Object.keys(batch.programs).filter((name) => targets.has(name));
    if (names.length > 0) await buildBatch(batch, names, targets, cache, report);
  }
  await rm(cachesIn(cache), { recursive: true, force: true });
}

async function buildBatch(
  batch: Batch,
  names: readonly string[],
  targets: ReadonlyMap<string, string>,
  cache: string,
  report: Progress,
): Promise<void> {
  const go = await programOnPath("go");
  if (go === undefined) throw new UserError(goIsMissing(names));
  const started = performance.now();
  const list = new Intl.ListFormat("en").format(names);
  report(`building ${list}\n`);
  const draft = join(cache, `draft-${process.pid}`);
  await mkdir(draft, { recursive: true });
  const watchdog = startWatchdog(draft);
  const run: Run = (args, onLine) =>
    runGo(list, go, args, batch.module, cachesIn(cache), watchdog, onLine);
  try {
    for (const name of names) await leaveOut(join(batch.module, name, "left-out.txtar"), run);
    const packages = names.map((name) => batch.programs[name] ?? name);
    const flags = [
      "-trimpath",
      "-ldflags",
      await linkerFlags(batch, run),
      // Functions are inlined only where they run most: this takes a quarter of the compiler's time.
      "-gcflags=all=-dwarf=false -l",
      "-gcflags=std=-dwarf=false",
    ];
    const listed = await run(["list", "-deps", ...flags, "-f", STALE, ...packages]);
    // The last separator has Go take it for a folder even for a single program.
    const args = ["build", "-v", ...flags, "-o", join(draft, "/"), ...packages];
    await run(args, progress(listed.replaceAll("\n", "").length, report));
    for (const name of names) {
      const target = targets.get(name) ?? "";
      await mkdir(dirname(target), { recursive: true });
      await rename(join(draft, name), target);
    }
  } catch (error) {
    report(`building ${list} failed\n`);
    throw error;
  } finally {
    await watchdog.end();
  }
  report(`built ${list} in ${Math.round((performance.now() - started) / 1000)} s\n`);
}

/** One letter for each package that has to be compiled: batches share what they compile. */
const STALE = '{{if .Stale}}{{print "x"}}{{end}}';

/** What Go says has spaces, unlike the names of the packages that it compiles. */
const isMessage = (line: string): boolean => line.includes(" ");

/** Go prints the name of each package that it compiles. */
export function progress(
  total: number,
  report: Progress,
  time = () => performance.now(),
): (line: string) => void {
  const started = time();
  let [done, reported] = [0, started];
  return (line) => {
    if (isMessage(line)) return;
    done += 1;
    const now = time();
    if (now - reported < SECONDS_BETWEEN_REPORTS * 1000) return;
    reported = now;
    const left = ((now - started) * (total - done)) / done / 60_000;
    report(`  ${done} of ${total} packages, about ${Math.ceil(left)} min left\n`);
  };
}

const SECONDS_BETWEEN_REPORTS = 10;

const cachesIn = (cache: string): string => join(cache, "building");

/**
 * Replaces what the bed never uses of a program, which a file in the format of Go's txtar lists: packages, and single files
 * where a name ends in .go. They change where they are unpacked: in a cache of modules that only this build uses.
 */
async function leaveOut(file: string, run: Run): Promise<void> {
  if (!(await isFile(file))) return;
  const [, ...parts] = (await readFile(file, "utf8")).split(/^-- (.+) --$/m);
  const names = parts.filter((_, index) => index % 2 === 0);
  const packages = names.map((name) => (name.endsWith(".go") ? dirname(name) : name));
  const folders = (await run(["list", "-find", "-f", "{{.Dir}}", ...packages])).trim().split("\n");
  for (const [index, folder] of folders.entries()) {
    const name = names[index] ?? "";
    const single = name.endsWith(".go") ? basename(name) : undefined;
    for (const each of await readdir(folder)) {
      if (each === single || (single === undefined && each.endsWith(".go"))) {
        await rm(join(folder, each));
      }
    }
    await writeFile(join(folder, single ?? "left-out.go"), parts[2 * index + 1] ?? "");
  }
}

async function linkerFlags({ versions = [] }: Batch, run: Run): Promise<string> {
  const flags = ["-s -w"];
  for (const { module, variables } of versions) {
    const full = (await run(["list", "-m", "-f", "{{.Version}}", module])).trim();
    const [major = "", minor = ""] = full.slice(1).split(".");
    for (const [name, template] of Object.entries(variables)) {
      const value = template
        .replace("{version}", full.slice(1))
        .replace("{major}", major)
        .replace("{minor}", minor);
      flags.push(`-X ${name}=${value}`);
    }
  }
  return flags.join(" ");
}

function goIsMissing(names: readonly string[]): string {
  return (
    `The test bed needs ${names.join(", ")}: not on PATH, not built yet, and Go, which would build them, is not on ` +
    "PATH either. Install Go 1.26 or later and run this again, or put these programs on PATH " +
    "(Kubernetes' own may also lie in KUBEBUILDER_ASSETS)."
  );
}

type Run = (args: readonly string[], onLine?: (line: string) => void) => Promise<string>;

async function runGo(
  names: string,
  go: string,
  args: readonly string[],
  cwd: string,
  caches: string,
  watchdog: Watchdog,
  onLine: (line: string) => void = () => undefined,
): Promise<string> {
  const env = {
    ...process.env,
    CGO_ENABLED: "0",
    // The compiler collects less of its garbage, and takes a fifth less time.
    GOGC: "400",
    GOCACHE: join(caches, "build"),
    // The index of a module's packages would not know which of them are left out.
    GODEBUG: "goindex=0",
    GOFLAGS: "-modcacherw -buildvcs=false",
    // What one module leaves out, another may need.
    GOMODCACHE: join(caches, `modules-of-${basename(cwd)}`),
    GOPATH: join(caches, "go"),
    GOWORK: "off",
  };
  const child = execa(go, args, { cwd, env, detached: true, reject: false, stdin: "ignore" });
  watchdog.guard(child.nodeChildProcess);
  for await (const line of child.iterable({ from: "stderr" })) onLine(line);
  const { failed, stdout, stderr } = await child;
  if (!failed) return stdout;
  const last = stderr.trim().split("\n").filter(isMessage).slice(-8).join("\n");
  throw new UserError(`Building ${names} failed: go ${args[0] ?? ""} in ${cwd} says:\n${last}`);
}
