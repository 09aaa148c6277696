import { createHash } from "node:crypto";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";

import { type Batch, build, removeCaches, type Progress } from "./build.ts";
import { cacheFolder } from "./cache.ts";
import { withLock } from "./lock.ts";
import { isFile, programOnPath } from "./path.ts";

const MODULE = join(import.meta.dirname, "tools");

/**
 * The real programs of the bed. One go.mod pins them all, so that what they have in common is compiled once; only
 * Pulumi's language host needs another version of Pulumi's SDK.
 */
const FIRST = [
  {
    module: MODULE,
    programs: {
      etcd: "./etcd",
      "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
      "kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
      "kube-scheduler": "k8s.io/kubernetes/cmd/kube-scheduler",
      kwok: "sigs.k8s.io/kwok/cmd/kwok",
    },
    // Charts and clients ask a cluster for its version, and refuse v0.0.0.
    version: {
      module: "k8s.io/kubernetes",
      variables: {
        "k8s.io/component-base/version.gitVersion": "v{version}",
        "k8s.io/component-base/version.gitMajor": "{major}",
        "k8s.io/component-base/version.gitMinor": "{minor}",
      },
    },
  },
  {
    module: MODULE,
    programs: { pulumi: "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi" },
    leftOut: "pulumi/left-out.txtar",
    // Without it the engine takes itself for a development build.
    version: {
      module: "github.com/pulumi/pulumi/pkg/v3",
      variables: { "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version": "{version}" },
    },
  },
  {
    module: join(MODULE, "pulumi-language-nodejs"),
    programs: {
      "pulumi-language-nodejs": "github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/pulumi-language-nodejs",
    },
  },
] as const satisfies Batch[];

/** Built while the others are in use already. Of the plugins of CoreDNS, those that its own main.go there imports. */
const LAST = [{ module: MODULE, programs: { coredns: "./coredns" } }] as const satisfies Batch[];

type NamesIn<Each> = Each extends { programs: infer Programs } ? keyof Programs : never;
export type ToolName = NamesIn<(typeof FIRST)[number]>;

/** The path of each program; CoreDNS may still be on its way there. */
export type Toolbox = Readonly<Record<ToolName, string>> & { readonly coredns: Promise<string> };

/**
 * Finds every program: on PATH or in KUBEBUILDER_ASSETS, else in the cache, else builds it into the cache, which takes
 * minutes once.
 */
export async function ensureTools(
  report: Progress = (text) => process.stderr.write(text),
): Promise<Toolbox> {
  const cache = await cacheFolder();
  const first = await find(FIRST, cache);
  const last = await find(LAST, cache);
  let isWhole = Promise.resolve();
  await new Promise<void>((isUsable, fail) => {
    isWhole = buildMissing(first.missing, last.missing, cache, report, isUsable);
    isWhole.catch(fail);
  });
  const coredns = isWhole.then(() => last.paths.get("coredns") ?? "");
  // Where nobody asks for a name, nobody needs to hear that its server could not be built.
  coredns.catch(() => undefined);
  return { ...(Object.fromEntries(first.paths) as Record<ToolName, string>), coredns };
}

async function buildMissing(
  first: ReadonlyMap<string, string>,
  last: ReadonlyMap<string, string>,
  cache: string,
  report: Progress,
  isUsable: () => void,
): Promise<void> {
  if (first.size === 0) isUsable();
  if (first.size + last.size === 0) return;
  const onWait = (): void => {
    report("waiting for programs of the test bed that are being built already\n");
  };
  report(announcementOf([...first.keys(), ...last.keys()]));
  await withLock(cache, onWait, async () => {
    await build(FIRST, first, cache, report);
    isUsable();
    await build(LAST, last, cache, () => undefined);
    await removeCaches(cache);
  });
}

function announcementOf(names: readonly string[]): string {
  const list = new Intl.ListFormat("en").format(names);
  return (
    `Neither on PATH nor built yet: ${list}. All of them take about nine minutes on two cores, once on a machine; ` +
    "README.md says what to install instead. A dot stands for a hundred packages.\n"
  );
}

/** The paths of all programs, and of those that are missing. */
async function find(batches: readonly Batch[], cache: string) {
  const paths = new Map<string, string>();
  const missing = new Map<string, string>();
  for (const batch of batches) {
    for (const [name, source] of Object.entries(batch.programs)) {
      const target = join(cache, await keyOf(batch, name, source), name);
      const program = await programOnPath(name);
      paths.set(name, program ?? target);
      if (program === undefined && !(await isFile(target))) missing.set(name, target);
    }
  }
  return { paths, missing };
}

/** Cached programs are never stale: whatever decides what a program is, decides where it lies. */
async function keyOf(batch: Batch, name: string, source: string): Promise<string> {
  const { module, version, leftOut } = batch;
  const own = source.startsWith("./") ? await readdir(join(module, source)) : [];
  const files = ["go.mod", "go.sum", ...own.sort().map((file) => join(source, file))];
  const hash = createHash("sha256");
  for (const file of leftOut === undefined ? files : [...files, leftOut]) {
    hash.update(await readFile(join(module, file)));
  }
  hash.update(JSON.stringify([source, version, process.platform, process.arch]));
  return `${name}-${hash.digest("hex").slice(0, 16)}`;
}
