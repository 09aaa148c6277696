import { readFile } from "node:fs/promises";
import { isIPv6 } from "node:net";
import { homedir } from "node:os";
import path from "node:path";
import { parse } from "yaml";
import { codeOf, isRecord } from "./failure.ts";
import {
  type ClusterEntry,
  clusterEntry,
  EntryProblem,
  type Fields,
  relativePaths,
  type UserEntry,
  userEntry,
} from "./kubeconfig-entries.ts";
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

/** One context, with the entries that it refers to. */
export interface Kubeconfig {
  readonly context: string;
  readonly cluster: ClusterEntry;
  readonly user: UserEntry;
  /** Fields of both that name a path relative to the folder of their file. */
  readonly relative?: readonly string[];
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

const serviceAccount = "/var/run/secrets/kubernetes.io/serviceaccount";

/**
 * What kubectl would use for `access.context`, from the given file, else those of `KUBECONFIG`, else
 * `~/.kube/config`. Reads files only, runs no credential plugin and sends nothing.
 *
 * @throws KubeconfigError
 */
export async function readKubeconfig(
  access: ClusterAccess,
  cluster: string,
  environment: Environment = processEnvironment(),
): Promise<Kubeconfig> {
  const files = candidates(access, environment);
  const read = await Promise.all(files.map((file) => readIfThere(file, cluster)));
  const found = files.flatMap((file, index) => {
    const text = read[index];
    return text === undefined ? [] : [entriesOf(file, text, cluster)];
  });
  if (found.length > 0) return resolve(found, access.context, cluster, listed(files));
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = environment.variables;
  if (access.context === inCluster && access.kubeconfig === undefined && host !== undefined) {
    return inClusterConfig(host, port ?? "443");
  }
  throw new KubeconfigError(
    cluster,
    `there is no kubeconfig at ${listed(files)} to read context ${access.context} from`,
  );
}

/**
 * Refuses relative paths in a file that `access` names: Pulumi's Kubernetes plugin takes the content of
 * such a file, and looks for them in other folders than this program and kubectl.
 *
 * @throws KubeconfigError
 */
export async function refuseRelativePaths(
  access: ClusterAccess,
  cluster: string,
  environment?: Environment,
): Promise<void> {
  if (access.kubeconfig === undefined) return;
  const { relative = [] } = await readKubeconfig(access, cluster, environment);
  if (relative.length === 0) return;
  throw new KubeconfigError(
    cluster,
    `context ${access.context} in kubeconfig ${access.kubeconfig} has a relative path in ${relative.join(" and ")}, which Pulumi's Kubernetes plugin would look for in another folder than that file's; make it absolute, or embed the file (kubectl config view --flatten --raw)`,
  );
}

function inClusterConfig(host: string, port: string): Kubeconfig {
  return {
    context: inCluster,
    cluster: {
      server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
      caFile: `${serviceAccount}/ca.crt`,
      skipTLSVerify: false,
      disableCompression: false,
    },
    user: { tokenFile: `${serviceAccount}/token` },
  };
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
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new KubeconfigError(cluster, `kubeconfig ${file} can't be read (${code})`);
  }
}

interface Entry {
  readonly file: string;
  readonly fields: Fields;
  /** Whether the file has another entry of that name, of which kubectl takes neither. */
  readonly repeated: boolean;
}

/** The entries of one or several files by their names. */
interface Entries {
  readonly contexts: ReadonlyMap<string, Entry>;
  readonly clusters: ReadonlyMap<string, Entry>;
  readonly users: ReadonlyMap<string, Entry>;
}

function entriesOf(file: string, text: string, cluster: string): Entries {
  const config = parsed(text);
  if (config === undefined) {
    throw new KubeconfigError(
      cluster,
      `kubeconfig ${file} is not valid; kubectl config view --kubeconfig ${file} shows where`,
    );
  }
  return {
    contexts: named(config.contexts, "context", file),
    clusters: named(config.clusters, "cluster", file),
    users: named(config.users, "user", file),
  };
}

function parsed(text: string): Fields | undefined {
  try {
    // As Go's parser, which follows YAML 1.1: `yes` is true.
    const config: unknown = parse(text, { version: "1.1", logLevel: "error" }) ?? {};
    return isRecord(config) ? config : undefined;
  } catch {
    // The parser's message quotes the lines around the mistake, which may be credentials.
    return undefined;
  }
}

/** A broken entry, for some other cluster, is no reason to fail. */
function named(list: unknown, field: string, file: string): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  for (const entry of Array.isArray(list) ? list.filter(isRecord) : []) {
    const { name, [field]: fields } = entry;
    if (typeof name !== "string" || !name) continue;
    const repeated = entries.has(name);
    entries.set(name, { file, fields: isRecord(fields) ? fields : {}, repeated });
  }
  return entries;
}

/** As kubectl merges: the first file to name an entry wins, and its whole entry counts. */
function first(files: readonly Entries[], kind: keyof Entries, name: unknown): Entry | undefined {
  if (typeof name !== "string") return undefined;
  return files.map((entries) => entries[kind].get(name)).find((entry) => entry !== undefined);
}

function resolve(
  files: readonly Entries[],
  name: string,
  cluster: string,
  where: string,
): Kubeconfig {
  const context = first(files, "contexts", name);
  if (context === undefined) {
    const names = [...new Set(files.flatMap(({ contexts }) => [...contexts.keys()]))].sort();
    const there = names.length > 0 ? `the contexts there are ${names.join(", ")}` : "it has none";
    throw new KubeconfigError(cluster, `no context ${name} in ${where}; ${there}`);
  }
  const refersTo = (kind: "cluster" | "user") => {
    const value = context.fields[kind];
    return typeof value === "string" ? value : "";
  };
  const problem = (what: string) => new KubeconfigError(cluster, `context ${name} ${what}`);
  if (context.repeated) {
    throw problem(`is there twice in ${context.file}; remove or rename one of them`);
  }
  /** Undefined if there is no such entry. */
  const read = <T>(kind: "cluster" | "user", shape: (fields: Fields, folder: string) => T) => {
    const entry = first(files, `${kind}s`, refersTo(kind));
    if (entry === undefined) return undefined;
    const what = `refers to ${kind} ${refersTo(kind)}`;
    if (entry.repeated) {
      throw problem(`${what}, which is there twice in ${entry.file}; remove or rename one of them`);
    }
    try {
      return shape(entry.fields, path.dirname(entry.file));
    } catch (error) {
      if (!(error instanceof EntryProblem)) throw error;
      throw problem(`${what} in ${entry.file}, which can't be used: ${error.message}`);
    }
  };
  const server = read("cluster", clusterEntry);
  if (server === undefined || server.server === "") {
    throw problem(
      `refers to cluster ${refersTo("cluster")}, for which ${where} has no valid entry`,
    );
  }
  checkServer(server, name, cluster, where);
  const user = read("user", userEntry);
  if (user === undefined && refersTo("user") !== "") {
    throw problem(`refers to user ${refersTo("user")}, for which ${where} has no valid entry`);
  }
  const fieldsOf = (kind: "cluster" | "user") =>
    first(files, `${kind}s`, refersTo(kind))?.fields ?? {};
  const relative = relativePaths(fieldsOf("cluster"), fieldsOf("user"));
  return {
    ...{ context: name, cluster: server, user: user ?? {} },
    ...(relative.length > 0 && { relative }),
  };
}

function checkServer(entry: ClusterEntry, name: string, cluster: string, where: string): void {
  const url = URL.parse(entry.server);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new KubeconfigError(
      cluster,
      `the server of context ${name} in ${where} is not an https URL`,
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new KubeconfigError(
      cluster,
      `the server of context ${name} in ${where} has a user name or password in its URL; move them to username and password of the context's user`,
    );
  }
  if (url.protocol === "http:" && !entry.skipTLSVerify) {
    throw new KubeconfigError(
      cluster,
      `the server of context ${name} in ${where} is plain http, which sends credentials in clear text; use https, or set insecure-skip-tls-verify: true if that is intended`,
    );
  }
}

function listed(files: readonly string[]): string {
  return files.join(", ");
}
