import { createHash } from "node:crypto";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";

import { type Build, type Target, build } from "./build.ts";
import { cacheFolder } from "./cache.ts";
import { withLock } from "./lock.ts";
import { isFile, programOnPath } from "./path.ts";

interface Tool extends Omit<Build, "name"> {
  /** Built even where PATH has one. */
  readonly ours?: true;
}

/**
 * The real programs of the bed. `module` is the folder under tools/ whose go.mod pins the program: one folder for each
 * set of `replace` lines, or for a main package of the bed's own.
 */
const TOOLS = {
  etcd: { module: "etcd", package: "go.etcd.io/etcd/server/v3" },
  "kube-apiserver": kubernetes("kube-apiserver"),
  "kube-controller-manager": kubernetes("kube-controller-manager"),
  "kube-scheduler": kubernetes("kube-scheduler"),
  kwok: {
    module: "kwok",
    package: "sigs.k8s.io/kwok/cmd/kwok",
    // What kwok does to nodes and pods stands in these files of its module, and must fit the program's version.
    ours: true,
    files: {
      module: "sigs.k8s.io/kwok",
      names: [
        "kustomize/stage/node/fast/node-initialize.yaml",
        "kustomize/stage/pod/fast/pod-ready.yaml",
        "kustomize/stage/pod/fast/pod-complete.yaml",
        "kustomize/stage/pod/fast/pod-delete.yaml",
      ],
    },
  },
  pulumi: {
    module: "pulumi",
    package: "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
    // Without it the engine takes itself for a development build.
    version: {
      module: "github.com/pulumi/pulumi/pkg/v3",
      variables: { "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version": "{version}" },
    },
  },
  "pulumi-language-nodejs": {
    module: "pulumi-language-nodejs",
    package: "github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/pulumi-language-nodejs",
  },
  // Of the plugins of CoreDNS, those that its own main.go there imports.
  coredns: { module: "coredns", package: "." },
} as const satisfies Record<string, Tool>;

export type ToolName = keyof typeof TOOLS;

/** Where each program lies. */
export type Toolbox = Readonly<Record<ToolName, string>>;

const MODULES = join(import.meta.dirname, "tools");

/**
 * Finds every program: on PATH or in KUBEBUILDER_ASSETS, else in the cache, else builds it into the cache, which takes
 * minutes once. `report` gets text for the screen, line ends included.
 */
export async function ensureTools(
  report: (text: string) => void = (text) => process.stderr.write(text),
): Promise<Toolbox> {
  const cache = await cacheFolder();
  const names = Object.keys(TOOLS) as ToolName[];
  const found = new Map<ToolName, string>();
  const wanted: Target[] = [];
  for (const name of names) {
    const tool: Tool = TOOLS[name];
    const target = join(cache, await keyOf(name, tool), name);
    const program = tool.ours === true ? undefined : await programOnPath(name);
    found.set(name, program ?? target);
    if (program === undefined && !(await isFile(target))) {
      wanted.push({ build: { ...tool, name }, target });
    }
  }
  if (wanted.length > 0) {
    const onWait = (): void => {
      report("waiting for another process, which is building the test bed's programs\n");
    };
    await withLock(cache, onWait, () => build(wanted, MODULES, cache, report));
  }
  return Object.fromEntries(found) as Record<ToolName, string>;
}

function kubernetes(name: string): Tool {
  return {
    module: "kubernetes",
    package: `k8s.io/kubernetes/cmd/${name}`,
    // Charts and clients ask a cluster for its version, and refuse v0.0.0.
    version: {
      module: "k8s.io/kubernetes",
      variables: {
        "k8s.io/component-base/version.gitVersion": "v{version}",
        "k8s.io/component-base/version.gitMajor": "{major}",
        "k8s.io/component-base/version.gitMinor": "{minor}",
      },
    },
  };
}

/** Cached programs are never stale: whatever decides what a program is, decides where it lies. */
async function keyOf(name: ToolName, tool: Tool): Promise<string> {
  const hash = createHash("sha256");
  const folder = join(MODULES, tool.module);
  for (const file of (await readdir(folder)).sort())
    hash.update(await readFile(join(folder, file)));
  hash.update(JSON.stringify([tool, process.platform, process.arch]));
  return `${name}-${hash.digest("hex").slice(0, 16)}`;
}
