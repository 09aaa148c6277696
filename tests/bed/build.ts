import { mkdir, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { basename, dirname, join } from "node:path";

import { execa } from "execa";

import { UserError } from "@linkerd-multicluster/engine/base";
import { programOnPath } from "./path.ts";
import { type Counter, progress, type Progress } from "./progress.ts";
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
  /** All programs together consist of about so many packages outside Go's own library. To count them takes Go 20 s. */
  readonly packages?: number;
}

/**
 * Builds these programs to these paths, batch by batch, because what batches share is compiled once. The modules of a later
 * one arrive meanwhile. Go's caches, gigabytes, stay only after an interruption.
 */
export async function build(
  batches: readonly Batch[],
  targets: ReadonlyMap<string, string>,
  cache: string,
  report: Progress,
): Promise<void> {
  const go = await programOnPath("go");
  if (go === undefined) throw new UserError(goIsMissing([...targets.keys()]));
  const started = performance.now();
  const list = listOf([...targets.keys()]);
  report(`building ${list}\n`);
  const wanted = batches
    .map((batch) => ({ batch, names: namesIn(batch).filter((name) => targets.has(name)) }))
    .filter(({ names }) => names.length > 0);
  const draft = join(cache, `draft-${process.pid}`);
  await mkdir(draft, { recursive: true });
  const watchdog = startWatchdog(draft);
  const counter = progress(wanted.length, report);
  try {
    const runIn =
      (folder: string, what: string): Run =>
      (args, onLine) =>
        runGo(what, go, args, folder, cachesIn(cache), watchdog, onLine);
    // While the modules arrive, the processors have nothing else to do.
    const runLibrary = runIn(draft, "Go's own library");
    const library = runLibrary(["build", ...compilerFlags, ...commonPackages]);
    const prepared = wanted.map(({ batch, names }) =>
      prepare(batch, names, draft, counter, runIn(batch.module, listOf(names))),
    );
    const counted = prepared.map(async (each) => (await each).counted);
    const built = async () => {
      await library;
      for (const each of prepared) await (await each).build();
    };
    await Promise.all([...counted, built()]);
    for (const [name, target] of targets) {
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
  await rm(cachesIn(cache), { recursive: true, force: true });
}

const listOf = (names: readonly string[]): string => new Intl.ListFormat("en").format(names);

const namesIn = (batch: Batch): string[] => Object.keys(batch.programs);

async function prepare(
  batch: Batch,
  names: readonly string[],
  draft: string,
  counter: Counter,
  run: Run,
): Promise<{ readonly counted: Promise<void>; readonly build: () => Promise<unknown> }> {
  await leaveOut(batch, names, run);
  const packages = names.map((name) => batch.programs[name] ?? name);
  const flags = [...compilerFlags, "-ldflags", await linkerFlags(batch, run)];
  const isWhole = names.length === namesIn(batch).length;
  const known = isWhole ? batch.packages : undefined;
  const count = async () =>
    (await run(["list", "-deps", "-f", MARK, ...packages])).replaceAll("\n", "").length;
  const counted = (async () => {
    counter.expect(known ?? (await count()));
  })();
  // The last separator has Go take it for a folder even for a single program.
  const args = ["build", "-v", ...flags, "-o", join(draft, "/"), ...packages];
  return { counted, build: () => run(args, counter.onLine) };
}

const processors = availableParallelism();

/** The GOMAXPROCS of runGo is for Go's fetching alone. */
const compilerFlags = [
  `-p=${processors}`,
  `-toolexec=env GOMAXPROCS=${processors}`,
  "-trimpath",
  // Functions are inlined only where they run most: this takes a quarter of the compiler's time.
  "-gcflags=all=-dwarf=false -l",
  "-gcflags=std=-dwarf=false",
];

/** With what they import, these are most of what the programs use of Go's own library. */
const commonPackages = ["html/template", "log/slog", "net/http/httputil"];

/** One letter for each package outside Go's own library, which is compiled for whichever batch comes first. */
const MARK = '{{if not .Standard}}{{print "x"}}{{end}}';

/** What Go says has spaces, unlike the names of the packages that it compiles. */
const isMessage = (line: string): boolean => line.includes(" ");

const cachesIn = (cache: string): string => join(cache, "building");

/**
 * Replaces what the bed never uses of a program, which a file in the format of Go's txtar lists: packages, and single files
 * where a name ends in .go. They change where they are unpacked: in a cache of modules that only this build uses.
 */
async function leaveOut(batch: Batch, names: readonly string[], run: Run): Promise<void> {
  const files = names.map((name) => join(batch.module, name, "left-out.txtar"));
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8").catch(() => "")));
  const parts = texts.flatMap((text) => text.split(/^-- (.+) --$/m).slice(1));
  const left = parts.filter((_, index) => index % 2 === 0);
  if (left.length === 0) return;
  const packages = left.map((name) => (name.endsWith(".go") ? dirname(name) : name));
  const folders = await foldersOf(packages, batch, run);
  for (const [index, folder] of folders.entries()) {
    const name = left[index] ?? "";
    const single = name.endsWith(".go") ? basename(name) : undefined;
    for (const each of await readdir(folder)) {
      if (each === single || (single === undefined && each.endsWith(".go"))) {
        await rm(join(folder, each));
      }
    }
    await writeFile(join(folder, single ?? "left-out.go"), parts[2 * index + 1] ?? "");
  }
}

/** Fetches these packages without those that they import: many are needed by nothing else. */
async function foldersOf(
  packages: readonly string[],
  batch: Batch,
  run: Run,
): Promise<readonly string[]> {
  const required = await readFile(join(batch.module, "go.mod"), "utf8");
  const known = [...required.matchAll(/^\s+(\S+) v\d/gm)].flatMap(([, name = ""]) => name).sort();
  const moduleOf = (name: string) =>
    known.findLast((module) => `${name}/`.startsWith(`${module}/`)) ?? name;
  const modules = [...new Set(packages.map(moduleOf))];
  await run(["mod", "download", ...modules]);
  const lines = (await run(["list", "-m", "-f", "{{.Dir}}", ...modules])).trim().split("\n");
  const folders = new Map(modules.map((module, index) => [module, lines[index] ?? ""]));
  return packages.map((name) => {
    const module = moduleOf(name);
    return join(folders.get(module) ?? "", name.slice(module.length));
  });
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
  what: string,
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
    // Go fetches so many modules at a time. It would fetch as many as there are processors, and leave these idle.
    GOMAXPROCS: "16",
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
  throw new UserError(`Building ${what} failed: go ${args[0] ?? ""} in ${cwd} says:\n${last}`);
}
