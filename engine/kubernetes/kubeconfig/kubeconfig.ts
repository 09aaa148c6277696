import { readFile } from "node:fs/promises";
import { isIPv6 } from "node:net";
import { homedir } from "node:os";
import path from "node:path";
import { printable } from "../objects/printable.ts";
import { isRecord } from "../objects/checks.ts";
import {
  type KubeconfigCluster,
  clusterEntry,
  type Fields,
  type KubeconfigUser,
  userEntry,
} from "./entries.ts";
import { givenKubeconfig, isGiven } from "./given.ts";
import { parseGoYaml } from "./go-yaml.ts";
import { type Cause, codeOf, messageOf, UserError } from "../../base/user-error.ts";

/** The runner's access contains no credential. */
export interface ClusterAccess {
  /** The name of a given kubeconfig stands for its current context. */
  readonly context: string;
  /** A path, or the name of a given kubeconfig. Without it, `KUBECONFIG` or the default file is read. */
  readonly kubeconfig?: string;
  /** Relative paths of kubeconfigs start there, and not in the folder of this process. */
  readonly folder?: string;
}

/** The kubeconfig lacks something that the stack's config refers to: a file or a name is wrong. */
export class KubeconfigError extends UserError {
  override readonly name = "KubeconfigError";

  constructor(cluster: string, problem: string) {
    super(printable(`cluster ${cluster}: ${problem}`));
  }

  override get failure(): Cause {
    return "invalid";
  }
}

/** A given kubeconfig is unknown before the update that makes its cluster. */
export class KubeconfigPending extends UserError {}

export interface Kubeconfig {
  readonly context: string;
  readonly cluster: KubeconfigCluster;
  readonly user: KubeconfigUser;
}

function relativePaths({ cluster, user }: Kubeconfig): string | undefined {
  const names = [cluster, user, user.exec].flatMap((entry) => entry?.relative ?? []);
  return names.length === 0 ? undefined : `has a relative path in ${names.join(" and ")}`;
}

export interface Environment {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

export function processEnvironment(): Environment {
  return { variables: process.env, home: homedir() };
}

/** Without a kubeconfig, this context means the service account of the pod that this program runs in. */
const inCluster = "in-cluster";

const serviceAccount = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Reads the entries that kubectl would use, runs no credential plugin and sends nothing. It throws KubeconfigError. */
export async function readKubeconfig(
  access: ClusterAccess,
  cluster: string,
  environment: Environment = processEnvironment(),
): Promise<Kubeconfig> {
  try {
    return await read(access, environment);
  } catch (error) {
    if (error instanceof KubeconfigPending) throw error;
    throw new KubeconfigError(cluster, messageOf(error));
  }
}

async function read(access: ClusterAccess, environment: Environment): Promise<Kubeconfig> {
  const { context, kubeconfig } = access;
  if (kubeconfig !== undefined && isGiven(kubeconfig)) return readGiven(kubeconfig, context);
  const files = candidates(access, environment);
  const where = files.join(", ");
  const found = (await Promise.all(files.map(entriesOf))).filter((one) => one !== undefined);
  if (found.length > 0) return resolve(found, context, where);
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = environment.variables;
  if (context === inCluster && kubeconfig === undefined && host !== undefined)
    return inClusterConfig(host, port ?? "443");
  const asked = (kubeconfig ?? environment.variables.KUBECONFIG ?? "").split(path.delimiter);
  const isRelative = asked.some((file) => /^[^~/]/.test(file));
  const start = isRelative ? " (a relative path starts in the folder of Pulumi.yaml)" : "";
  throw new UserError(`there is no kubeconfig at ${where}${start} to read context ${context} from`);
}

/** A kubeconfig without a file has no folder to which a path could be relative. */
function readGiven(name: string, context: string): Kubeconfig {
  const content = givenKubeconfig(name);
  if (content === undefined)
    throw new KubeconfigPending(`its kubeconfig ${name} is not known before the update`);
  const entries = entriesIn(content, name);
  if (entries === undefined) throw new UserError(`its kubeconfig ${name} is not valid`);
  const { current } = entries;
  if (context === name && current === undefined)
    throw new UserError(`its kubeconfig ${name} has no current-context: set it, or set context`);
  const found = resolve([entries], context === name ? (current ?? "") : context, name);
  const relative = relativePaths(found);
  if (relative === undefined) return found;
  throw new UserError(
    `its kubeconfig ${name} ${relative}: embed the file (kubectl config view --flatten --raw)`,
  );
}

/** Pulumi's Kubernetes plugin resolves relative paths in a file that `access` names in another folder than kubectl. */
export async function refuseRelativePaths(access: ClusterAccess, cluster: string): Promise<void> {
  if (access.kubeconfig === undefined) return;
  const relative = relativePaths(await readKubeconfig(access, cluster));
  if (relative === undefined) return;
  throw new KubeconfigError(
    cluster,
    `context ${access.context} in kubeconfig ${access.kubeconfig} ${relative}, which Pulumi's Kubernetes plugin would look for in another folder than that file's; make it absolute, or embed the file (kubectl config view --flatten --raw)`,
  );
}

function inClusterConfig(host: string, port: string): Kubeconfig {
  return {
    context: inCluster,
    cluster: {
      server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
      "certificate-authority": `${serviceAccount}/ca.crt`,
    },
    user: { tokenFile: `${serviceAccount}/token` },
  };
}

function candidates(
  { kubeconfig, folder = "" }: ClusterAccess,
  { variables, home }: Environment,
): string[] {
  if (kubeconfig !== undefined) return [path.resolve(folder, kubeconfig.replace(/^~(?=\/)/, home))];
  const listedFiles = (variables.KUBECONFIG ?? "").split(path.delimiter).filter((file) => file);
  const files = listedFiles.length > 0 ? listedFiles : [path.join(home, ".kube", "config")];
  return files.map((file) => path.resolve(folder, file));
}

interface Entry {
  readonly file: string;
  readonly fields: Fields;
}

type Entries = Readonly<Record<"contexts" | "clusters" | "users", ReadonlyMap<string, Entry>>> & {
  readonly current: string | undefined;
};

/** All clusters may be in one file, which is parsed once, until it changes. */
const lastRead = new Map<string, readonly [text: string, entries: Entries | undefined]>();

/** As with kubectl, a missing file is no error, because `KUBECONFIG` may list others. */
async function entriesOf(file: string): Promise<Entries | undefined> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new UserError(`kubeconfig ${file} can't be read (${code})`);
  }
  const [known, last] = lastRead.get(file) ?? [];
  const entries = known === text ? last : entriesIn(text, file);
  lastRead.set(file, [text, entries]);
  if (entries !== undefined) return entries;
  const shows = `kubectl config view --kubeconfig ${file} shows where`;
  throw new UserError(`kubeconfig ${file} is not valid; ${shows}`);
}

/** Returns undefined if the text is not a kubeconfig. */
export function entriesIn(text: string, file: string): Entries | undefined {
  let config: ReturnType<typeof parseGoYaml>;
  try {
    config = parseGoYaml(text);
  } catch {
    // The parser's message quotes the lines around the mistake, which may be credentials.
    return undefined;
  }
  const { typed, written } = config;
  if (!isRecord(typed) || !isRecord(written)) return undefined;
  const { "current-context": current, contexts, clusters, users } = written;
  return {
    current: typeof current === "string" && current !== "" ? current : undefined,
    contexts: named(contexts, contexts, "context", file),
    clusters: named(clusters, typed["clusters"], "cluster", file),
    users: named(users, typed["users"], "user", file),
  };
}

/** A broken entry is skipped, since it may be for another cluster. */
function named(written: unknown, list: unknown, field: string, file: string): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  const names: readonly unknown[] = Array.isArray(written) ? written : [];
  for (const [index, entry] of (Array.isArray(list) ? list : []).entries()) {
    const { name } = isRecord(names[index]) ? names[index] : {};
    if (typeof name !== "string" || !name || !isRecord(entry)) continue;
    const fields = entry[field];
    entries.set(name, { file, fields: isRecord(fields) ? fields : {} });
  }
  return entries;
}

function resolve(files: readonly Entries[], name: string, where: string): Kubeconfig {
  // As in kubectl, the first file to name an entry wins, and its whole entry counts.
  const first = (kind: Exclude<keyof Entries, "current">, name: string) =>
    files.map((entries) => entries[kind].get(name)).find((entry) => entry !== undefined);
  const context = first("contexts", name);
  if (context === undefined) {
    const names = [...new Set(files.flatMap(({ contexts }) => [...contexts.keys()]))].sort();
    const there = names.length > 0 ? `the contexts there are ${names.join(", ")}` : "it has none";
    throw new UserError(`no context ${name} in ${where}; ${there}`);
  }
  const read = <T>(kind: "cluster" | "user", shape: (fields: Fields, folder: string) => T) => {
    const value = context.fields[kind];
    const what = `context ${name} refers to ${kind} ${typeof value === "string" ? value : ""}`;
    const found = typeof value === "string" ? first(`${kind}s`, value) : undefined;
    if (found === undefined || (kind === "cluster" && !found.fields.server))
      throw new UserError(`${what}, for which ${where} has no valid entry`);
    const { fields, file } = found;
    try {
      return shape(fields, path.dirname(file));
    } catch (error) {
      throw new UserError(`${what} in ${file}, which can't be used: ${messageOf(error)}`);
    }
  };
  const cluster = read("cluster", clusterEntry);
  const why = serverProblem(cluster);
  if (why !== undefined) throw new UserError(`the server of context ${name} in ${where} ${why}`);
  return { context: name, cluster, user: context.fields.user ? read("user", userEntry) : {} };
}

function serverProblem(cluster: KubeconfigCluster): string | undefined {
  const { server, "insecure-skip-tls-verify": isUnverified } = cluster;
  const url = URL.parse(server);
  if (url === null || !/^https?:$/.test(url.protocol)) return "is not an https URL";
  if (url.username !== "" || url.password !== "")
    return "has a user name or password in its URL; move them to username and password of the context's user";
  return url.protocol === "http:" && isUnverified !== true
    ? "is plain http, which sends credentials in clear text; use https, or set insecure-skip-tls-verify: true if that is intended"
    : undefined;
}
