import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdir, readFile, readdir } from "node:fs/promises";
import { createServer } from "node:net";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { codeOf } from "@linkerd-multicluster/engine/base";
import { archiveFor, fetchedTo, fetchPrograms } from "./archives.ts";
import { type Batch, build } from "./build.ts";
import { isFile, programOnPath } from "./path.ts";
import type { Progress } from "./progress.ts";

const archive = archiveFor(process.platform, process.arch);

const MODULE = join(import.meta.dirname, "tools");

/** Charts and clients ask a cluster for its version, and refuse v0.0.0. */
const kubernetesVersion = {
  module: "k8s.io/kubernetes",
  variables: {
    "k8s.io/component-base/version.gitVersion": "v{version}",
    "k8s.io/component-base/version.gitMajor": "{major}",
    "k8s.io/component-base/version.gitMinor": "{minor}",
  },
};

/** Without it the engine takes itself for a development build. */
const pulumiVersion = {
  module: "github.com/pulumi/pulumi/pkg/v3",
  variables: { "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version": "{version}" },
};

/**
 * One go.mod pins all programs; only Pulumi's language host needs another version of Pulumi's SDK. Names that start with a
 * dot are folders with a main.go, which has no more of a program than the bed uses.
 */
const batches = [
  {
    module: MODULE,
    programs: {
      etcd: "./etcd",
      "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
      "kube-controller-manager": "./kube-controller-manager",
      "kube-scheduler": "./kube-scheduler",
      kwok: "./kwok",
      pulumi: "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
      coredns: "./coredns",
    },
    versions: [kubernetesVersion, pulumiVersion],
    packages: 2327,
  },
  {
    module: join(MODULE, "pulumi-language-nodejs"),
    programs: {
      "pulumi-language-nodejs": "github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/pulumi-language-nodejs",
    },
  },
] as const satisfies Batch[];

const NODES = join(MODULE, "nodes");

/** A module of their own spares everyone else the dependencies of nodes. */
const nodeBatches = [
  {
    module: NODES,
    programs: {
      "kube-proxy": "k8s.io/kubernetes/cmd/kube-proxy",
      kubectl: "k8s.io/kubernetes/cmd/kubectl",
      kubelet: "k8s.io/kubernetes/cmd/kubelet",
    },
    versions: [kubernetesVersion],
  },
  {
    module: NODES,
    programs: {
      bb: "./bb",
      bridge: "github.com/containernetworking/plugins/plugins/main/bridge",
      containerd: "github.com/containerd/containerd/v2/cmd/containerd",
      "containerd-shim-runc-v2": "github.com/containerd/containerd/v2/cmd/containerd-shim-runc-v2",
      ctr: "github.com/containerd/containerd/v2/cmd/ctr",
      "host-local": "github.com/containernetworking/plugins/plugins/ipam/host-local",
      loopback: "github.com/containernetworking/plugins/plugins/main/loopback",
      pause: "./pause",
    },
    // What is on PATH under these names may be something else.
    builtAlways: true,
  },
] as const satisfies Batch[];

/** Clients and servers that some tests run in pods. */
const datastoreBatches = [
  {
    module: join(MODULE, "datastores"),
    programs: { etcdctl: "go.etcd.io/etcd/etcdctl/v3", rpc: "./rpc" },
    builtAlways: true,
  },
] as const satisfies Batch[];

type NamesIn<Each> = Each extends { programs: infer Programs } ? keyof Programs : never;
export type ToolName = NamesIn<(typeof batches)[number]>;

export type Toolbox = Readonly<Record<ToolName, string>>;
export type NodeTools = Readonly<Record<NamesIn<(typeof nodeBatches)[number]>, string>>;
type DatastoreTools = Readonly<Record<NamesIn<(typeof datastoreBatches)[number]>, string>>;

/** Finds programs on PATH, in KUBEBUILDER_ASSETS or in the cache, or fetches or builds them into the cache, once. */
export function ensureTools(report?: Progress): Promise<Toolbox> {
  return ensure(batches, report);
}

export function ensureNodeTools(): Promise<NodeTools> {
  return ensure(nodeBatches);
}

export function ensureDatastoreTools(): Promise<DatastoreTools> {
  return ensure(datastoreBatches);
}

async function ensure(
  wanted: readonly Batch[],
  report: Progress = (text) => process.stderr.write(text),
): Promise<Readonly<Record<string, string>>> {
  const cache = await cacheFolder();
  const { missing } = await locate(wanted, cache);
  if (missing.size > 0) {
    const list = new Intl.ListFormat("en").format(missing.keys());
    report(
      `Neither on PATH nor in the cache: ${list}. All of them take about five minutes to build on two cores, once on a ` +
        "machine; README.md says what to install instead.\n",
    );
    const onWait = (): void => {
      report("waiting for programs of the test bed that are being built already\n");
    };
    await withLock(cache, onWait, () => complete(wanted, cache, report));
  }
  return Object.fromEntries((await locate(wanted, cache)).paths);
}

/** Another process may have fetched or built programs while this one waited for the lock. */
async function complete(wanted: readonly Batch[], cache: string, report: Progress): Promise<void> {
  const { missing } = await locate(wanted, cache);
  const names = Object.keys(archive?.programs ?? {}).filter((name) => missing.has(name));
  if (archive !== undefined && names.length > 0 && process.env["BED_OFFLINE"] !== "1") {
    const isFetched = await fetchPrograms(archive, names, cache, report);
    if (isFetched) for (const name of names) missing.delete(name);
  }
  if (missing.size > 0) await build(wanted, missing, cache, report);
}

/** Returns where all programs are, or will be once they are built, and which of them have to be. */
async function locate(wanted: readonly Batch[], cache: string) {
  const paths = new Map<string, string>();
  const missing = new Map<string, string>();
  for (const batch of wanted) {
    for (const [name, source] of Object.entries(batch.programs)) {
      const target = join(cache, await keyOf(batch, name, source), name);
      const fetched =
        archive?.programs[name] === undefined ? target : fetchedTo(cache, archive, name);
      const own = (await isFile(fetched)) ? fetched : target;
      const program = batch.builtAlways === true ? undefined : await programOnPath(name);
      paths.set(name, program ?? own);
      if (program === undefined && !(await isFile(own))) missing.set(name, target);
    }
  }
  return { paths, missing };
}

/** Built programs stay in this folder between runs. It is outside the repository, so that a clean clone finds them. */
export async function cacheFolder(): Promise<string> {
  const configured = process.env["XDG_CACHE_HOME"];
  // The XDG specification says to ignore relative values.
  const base =
    configured !== undefined && isAbsolute(configured) ? configured : join(homedir(), ".cache");
  const folder = join(base, "linkerd-multicluster-bed");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** Cached programs are never stale, because everything that a program depends on is part of its path. */
async function keyOf(batch: Batch, name: string, source: string): Promise<string> {
  const { module, versions } = batch;
  const own = await readdir(join(module, name)).catch(() => []);
  const hash = createHash("sha256");
  for (const file of ["go.mod", "go.sum", ...own.sort().map((each) => join(name, each))]) {
    hash.update(await readFile(join(module, file)));
  }
  hash.update(JSON.stringify([source, ...(versions ?? [null]), process.platform, process.arch]));
  return `${name}-${hash.digest("hex").slice(0, 16)}`;
}

/** Runs `action` while no other process does for the same folder. The lock is a port, which is released with its process. */
async function withLock<T>(
  folder: string,
  onWait: () => void,
  action: () => Promise<T>,
): Promise<T> {
  const port = 19_000 + (createHash("sha256").update(folder).digest().readUInt16BE() % 1_000);
  for (let isWaiting = false; ; isWaiting = true) {
    const turn = createServer().listen(port, "127.0.0.1");
    try {
      await once(turn, "listening");
    } catch (error) {
      if (codeOf(error) !== "EADDRINUSE") throw error;
      if (!isWaiting) onWait();
      await sleep(200);
      continue;
    }
    try {
      return await action();
    } finally {
      turn.close();
    }
  }
}
