import path from "node:path";
import { defined } from "./defined.ts";
import { type ExecPlugin, pluginVersions } from "./exec-plugin.ts";
import { isRecord } from "./failure.ts";

/**
 * The entries of a kubeconfig that a context refers to, read and refused as kubectl does
 * (client-go's `tools/clientcmd`): docs/reference/kubeconfig.md has the table of the fields. Fields that kubectl
 * does not know are passed over, as by kubectl.
 */

/** Paths are absolute. */
export interface ClusterEntry {
  readonly server: string;
  /** PEM in base64. */
  readonly caData?: string;
  readonly caFile?: string;
  readonly skipTLSVerify: boolean;
  readonly tlsServerName?: string;
  readonly proxyUrl?: string;
  readonly disableCompression: boolean;
  /** What the entry holds for credential plugins, which alone know its shape. */
  readonly pluginConfig?: unknown;
}

/** Without a field: anonymous. Paths are absolute. */
export interface UserEntry {
  readonly token?: string;
  readonly tokenFile?: string;
  readonly username?: string;
  readonly password?: string;
  /** PEM in base64. */
  readonly certData?: string;
  readonly certFile?: string;
  readonly keyData?: string;
  readonly keyFile?: string;
  readonly impersonate?: Impersonation;
  readonly plugin?: ExecPlugin;
}

export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** A field that can't be used. The message names the field, and never quotes its value. */
export class EntryProblem extends Error {
  override readonly name = "EntryProblem";
}

export type Fields = Readonly<Record<string, unknown>>;

/** @throws EntryProblem */
export function clusterEntry(fields: Fields, folder: string): ClusterEntry {
  const skipTLSVerify = flag(fields, "insecure-skip-tls-verify");
  const caData = data(fields, "certificate-authority-data");
  const caFile = file(fields, "certificate-authority", folder);
  either(fields, "certificate-authority-data", "certificate-authority");
  if (skipTLSVerify && (caData ?? caFile) !== undefined) {
    throw new EntryProblem(
      "insecure-skip-tls-verify contradicts its certificate-authority; keep one of the two",
    );
  }
  const extension = listed(fields, "extensions").find(({ name }) => name === pluginExtension);
  return {
    // Go's URLs have no path where there is only a slash.
    server: (text(fields, "server") ?? "").replace(/\/$/, ""),
    skipTLSVerify,
    disableCompression: flag(fields, "disable-compression"),
    ...defined({
      caData,
      caFile,
      tlsServerName: text(fields, "tls-server-name"),
      proxyUrl: text(fields, "proxy-url"),
      pluginConfig: extension?.extension,
    }),
  };
}

const pluginExtension = "client.authentication.k8s.io/exec";

/** @throws EntryProblem */
export function userEntry(fields: Fields, folder: string): UserEntry {
  refuseProvider(fields);
  const user: UserEntry = defined({
    token: text(fields, "token"),
    tokenFile: file(fields, "tokenFile", folder),
    username: text(fields, "username"),
    password: text(fields, "password"),
    certData: data(fields, "client-certificate-data"),
    certFile: file(fields, "client-certificate", folder),
    keyData: data(fields, "client-key-data"),
    keyFile: file(fields, "client-key", folder),
    impersonate: impersonation(fields),
    plugin: plugin(fields, folder),
  });
  if (user.token !== undefined && (user.username ?? user.password) !== undefined) {
    throw new EntryProblem("token and username are two ways to log in; keep one of them");
  }
  if ((user.certData ?? user.certFile) !== undefined) {
    either(fields, "client-certificate-data", "client-certificate");
    either(fields, "client-key-data", "client-key");
    if ((user.keyData ?? user.keyFile) === undefined) {
      throw new EntryProblem("client-certificate has no client-key");
    }
  }
  return user;
}

function impersonation(fields: Fields): Impersonation | undefined {
  const user = text(fields, "as");
  const uid = text(fields, "as-uid");
  const groups = texts(fields["as-groups"], "as-groups");
  const all = record(fields, "as-user-extra") ?? {};
  const extra = Object.fromEntries(
    Object.entries(all).map(([key, values]) => [key, texts(values, "as-user-extra")]),
  );
  if (user !== undefined) return { user, groups, extra, ...defined({ uid }) };
  if (uid !== undefined || groups.length > 0 || Object.keys(extra).length > 0) {
    throw new EntryProblem("as-uid, as-groups and as-user-extra need the name of a user in as");
  }
  return undefined;
}

function plugin(fields: Fields, folder: string): ExecPlugin | undefined {
  const exec = record(fields, "exec");
  if (exec === undefined) return undefined;
  const command = text(exec, "command", "exec.command");
  const apiVersion = text(exec, "apiVersion", "exec.apiVersion");
  const mode = text(exec, "interactiveMode", "exec.interactiveMode");
  const [v1] = pluginVersions;
  if (command === undefined) throw new EntryProblem("exec has no command");
  if (apiVersion === undefined || !pluginVersions.includes(apiVersion)) {
    throw new EntryProblem(
      `exec.apiVersion must be ${pluginVersions.join(" or ")}; update the plugin, and write its entry anew`,
    );
  }
  if (mode === "Always") {
    throw new EntryProblem(
      "exec.interactiveMode Always needs a terminal, which a deployment does not have; use a plugin that can do without",
    );
  }
  if (mode === undefined ? apiVersion === v1 : !["Never", "IfAvailable"].includes(mode)) {
    throw new EntryProblem("exec.interactiveMode must be Never or IfAvailable");
  }
  const env = listed(exec, "env", "exec.env").map((one) => {
    const name = text(one, "name", "exec.env");
    if (name === undefined) throw new EntryProblem("exec.env has an entry without a name");
    return [name, text(one, "value", "exec.env") ?? ""] as const;
  });
  return {
    // A name without a slash is looked up on PATH.
    command: command.includes("/") ? path.resolve(folder, command) : command,
    apiVersion,
    args: texts(exec.args, "exec.args"),
    env: Object.fromEntries(env),
    provideClusterInfo: flag(exec, "provideClusterInfo", "exec.provideClusterInfo"),
    ...defined({ installHint: text(exec, "installHint", "exec.installHint") }),
  };
}

/** What kubectl itself takes for these providers, all but one of which it has no more. */
const successors: Readonly<Record<string, string>> = {
  oidc: "kubelogin (kubectl oidc-login)",
  gcp: "gke-gcloud-auth-plugin",
  azure: "kubelogin",
};

function refuseProvider(fields: Fields): void {
  const provider = record(fields, "auth-provider");
  if (provider === undefined) return;
  const name = text(provider, "name", "auth-provider.name") ?? "";
  const successor = successors[name];
  throw new EntryProblem(
    successor === undefined
      ? "auth-provider is not supported; use a credential plugin (exec)"
      : `auth-provider ${name} is not supported; use ${successor}, a credential plugin (exec)`,
  );
}

/** The fields of both entries that name a path relative to the folder of their file. */
export function relativePaths(cluster: Fields, user: Fields): string[] {
  const exec = isRecord(user.exec) ? user.exec : {};
  const files = [
    ["certificate-authority", cluster["certificate-authority"]],
    ...["client-certificate", "client-key", "tokenFile"].map((name) => [name, user[name]] as const),
  ] as const;
  const { command } = exec;
  return [
    ...files.filter(([, value]) => isRelative(value)).map(([name]) => name),
    ...(isRelative(command) && String(command).includes("/") ? ["exec.command"] : []),
  ];
}

function isRelative(value: unknown): boolean {
  return typeof value === "string" && value !== "" && !path.isAbsolute(value);
}

function either(fields: Fields, one: string, other: string): void {
  if (fields[one] && fields[other]) {
    throw new EntryProblem(`${one} and ${other} are both there; keep one of them`);
  }
}

/** Nothing, null and "" are all the same to kubectl. */
function text(fields: Fields, name: string, called = name): string | undefined {
  const value = fields[name];
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "string") return value;
  throw new EntryProblem(`${called} is not text; put it in quotes`);
}

function flag(fields: Fields, name: string, called = name): boolean {
  const value = fields[name] ?? false;
  if (typeof value === "boolean") return value;
  throw new EntryProblem(`${called} is neither true nor false`);
}

function data(fields: Fields, name: string): string | undefined {
  const value = text(fields, name);
  const code = value?.replaceAll(/[\r\n]/g, "") ?? "";
  if (/^[A-Za-z0-9+/]*={0,2}$/.test(code)) return value;
  throw new EntryProblem(`${name} is not base64`);
}

function file(fields: Fields, name: string, folder: string): string | undefined {
  const value = text(fields, name);
  return value === undefined ? undefined : path.resolve(folder, value);
}

function texts(value: unknown, called: string): string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) {
    const found = value.filter((one) => typeof one === "string");
    if (found.length === value.length) return found;
  }
  throw new EntryProblem(`${called} is not a list of texts; put each in quotes`);
}

function record(fields: Fields, name: string, called = name): Fields | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (isRecord(value)) return value;
  throw new EntryProblem(`${called} is not a map`);
}

function listed(fields: Fields, name: string, called = name): Fields[] {
  const value = fields[name] ?? [];
  if (Array.isArray(value)) {
    const found = value.filter(isRecord);
    if (found.length === value.length) return found;
  }
  throw new EntryProblem(`${called} is not a list of maps`);
}
