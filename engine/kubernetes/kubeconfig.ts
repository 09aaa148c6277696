import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import type { Cluster, KubeConfig } from "@kubernetes/client-node";
import { plain } from "./plain.ts";

/** Where the runner's access to a cluster is configured. Names only, never a credential. */
export interface ClusterAccess {
  readonly context: string;
  /** Path of a kubeconfig file; without one `KUBECONFIG` and then the default file are read. */
  readonly kubeconfig?: string;
}

/** The kubeconfig does not have what the stack's config refers to: a file or a name is wrong. */
export class KubeconfigError extends Error {
  override readonly name = "KubeconfigError";
  readonly cluster: string;

  constructor(cluster: string, problem: string) {
    super(plain(`cluster ${cluster}: ${problem}`));
    this.cluster = cluster;
  }
}

/** Where kubeconfig files are looked for. */
export interface Environment {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

export function processEnvironment(): Environment {
  return { variables: process.env, home: homedir() };
}

/** The context that means the service account of the pod this runs in, if there is no kubeconfig. */
const inCluster = "in-cluster";

/**
 * The kubeconfig that kubectl would use, with `access.context` as its current context: the given
 * file, else those of `KUBECONFIG`, else `~/.kube/config`. Throws KubeconfigError; reads files only,
 * runs no credential plugin and sends nothing.
 */
export async function readKubeconfig(
  access: ClusterAccess,
  cluster: string,
  environment: Environment = processEnvironment(),
): Promise<KubeConfig> {
  // Loaded on demand: it takes 0.4 s, which a process that only compares state can save.
  const { KubeConfig } = await import("@kubernetes/client-node");
  const files = candidates(access, environment);
  const found = await Promise.all(
    files.map(async (file) => {
      const text = await readIfThere(file, cluster);
      return text === undefined ? [] : [parse(new KubeConfig(), file, text, cluster)];
    }),
  );
  const configs = found.flat();
  const config = new KubeConfig();
  if (configs.length > 0) {
    config.loadFromOptions({
      clusters: firstOfEachName(configs.flatMap(({ clusters }) => clusters)),
      contexts: firstOfEachName(configs.flatMap(({ contexts }) => contexts)),
      users: firstOfEachName(configs.flatMap(({ users }) => users)),
      currentContext: access.context,
    });
    check(config, access.context, cluster, files);
    return config;
  }
  const inPod = environment.variables.KUBERNETES_SERVICE_HOST !== undefined;
  if (access.context === inCluster && access.kubeconfig === undefined && inPod) {
    config.loadFromCluster();
    return config;
  }
  throw new KubeconfigError(
    cluster,
    `there is no kubeconfig at ${listed(files)} to read context ${access.context} from`,
  );
}

/** The entry of the cluster that a kubeconfig's current context is for. */
export function currentServer(kubeconfig: KubeConfig, cluster: string): Cluster {
  const entry = kubeconfig.getCurrentCluster();
  if (entry !== null) return entry;
  const context = kubeconfig.getCurrentContext();
  throw new KubeconfigError(cluster, `context ${context} does not refer to a cluster`);
}

function candidates(access: ClusterAccess, { variables, home }: Environment): string[] {
  if (access.kubeconfig !== undefined) {
    return [path.resolve(access.kubeconfig.replace(/^~(?=\/)/, home))];
  }
  const listedFiles = (variables.KUBECONFIG ?? "").split(path.delimiter).filter((file) => file);
  const files = listedFiles.length > 0 ? listedFiles : [path.join(home, ".kube", "config")];
  return files.map((file) => path.resolve(file));
}

/** Like kubectl, passes over a file that isn't there: others of `KUBECONFIG` may be. */
async function readIfThere(file: string, cluster: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    if (code === "ENOENT" || code === "ENOTDIR") {
      return undefined;
    }
    throw new KubeconfigError(cluster, `kubeconfig ${file} can't be read (${code})`);
  }
}

function parse(config: KubeConfig, file: string, text: string, cluster: string): KubeConfig {
  if (text.trim() === "") {
    return config;
  }
  try {
    // A broken entry for some other cluster is no reason to fail.
    config.loadFromString(text, { onInvalidEntry: "filter" });
    config.makePathsAbsolute(path.dirname(file));
    return config;
  } catch {
    // The parser's message quotes the lines around the mistake, which may be credentials.
    throw new KubeconfigError(
      cluster,
      `kubeconfig ${file} is not valid; kubectl config view --kubeconfig ${file} shows where`,
    );
  }
}

/** As kubectl merges: the first file to name an entry wins. The library's own merge refuses. */
function firstOfEachName<T extends { readonly name: string }>(entries: readonly T[]): T[] {
  return [...new Map(entries.toReversed().map((entry) => [entry.name, entry])).values()];
}

/** That the context leads to a server and to credentials. */
function check(config: KubeConfig, name: string, cluster: string, files: readonly string[]): void {
  const where = listed(files);
  const context = config.contexts.find((candidate) => candidate.name === name);
  if (context === undefined) {
    const names = config.contexts.map((candidate) => candidate.name).sort();
    const there = names.length > 0 ? `the contexts there are ${names.join(", ")}` : "it has none";
    throw new KubeconfigError(cluster, `no context ${name} in ${where}; ${there}`);
  }
  const server = config.getCurrentCluster();
  if (server === null) {
    throw new KubeconfigError(
      cluster,
      `context ${name} refers to cluster ${context.cluster}, for which ${where} has no valid entry`,
    );
  }
  const url = URL.parse(server.server);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new KubeconfigError(
      cluster,
      `the server of context ${name} in ${where} is not an https URL`,
    );
  }
  if (url.protocol === "http:" && !server.skipTLSVerify) {
    throw new KubeconfigError(
      cluster,
      `the server of context ${name} in ${where} is plain http, which sends credentials in clear text; use https, or set insecure-skip-tls-verify: true if that is intended`,
    );
  }
  // The library's type claims that a context always has a user.
  const user: string | undefined = context.user;
  if (user && config.getCurrentUser() === null) {
    throw new KubeconfigError(
      cluster,
      `context ${name} refers to user ${user}, for which ${where} has no valid entry`,
    );
  }
}

function listed(files: readonly string[]): string {
  return files.join(", ");
}
