import path from "node:path";
import { anything, type Check, list, map, mapOf, type Of, text, Wrong } from "../objects/checks.ts";
import { defined } from "../objects/defined.ts";

/**
 * The entries of a kubeconfig that a context refers to, read and refused as kubectl does
 * (client-go's `tools/clientcmd`): docs/reference/kubeconfig.md has the table of the fields. Fields that kubectl
 * does not know are passed over, as by kubectl.
 */

/** A field that can't be used. The message names the field, and never quotes its value. */
export class EntryProblem extends Error {
  override readonly name = "EntryProblem";
}

export type Fields = Readonly<Record<string, unknown>>;

const anyText = text("text; put it in quotes");
const anyTexts = list(anyText);

/** Nothing, null and "" are all the same to kubectl. */
const word: Check<string | undefined> = (value) => (value === "" ? undefined : anyText(value));
const flag: Check<boolean> = (value) =>
  typeof value === "boolean" ? value : new Wrong(" is neither true nor false");
const base64: Check<string | undefined> = (value) => {
  const read = word(value);
  if (typeof read !== "string") return read;
  const isBase64 = /^[A-Za-z0-9+/]*={0,2}$/.test(read.replaceAll(/[\r\n]/g, ""));
  return isBase64 ? read : new Wrong(" is not base64");
};

const clusterFields = map({
  server: word,
  "certificate-authority-data": base64,
  "certificate-authority": word,
  "insecure-skip-tls-verify": flag,
  "tls-server-name": word,
  "proxy-url": word,
  "disable-compression": flag,
  extensions: list(map({ name: anything, extension: anything })),
});

const userFields = map({
  ...{ token: word, tokenFile: word, username: word, password: word },
  ...{ "client-certificate-data": base64, "client-certificate": word },
  ...{ "client-key-data": base64, "client-key": word },
  ...{ as: word, "as-uid": word, "as-groups": anyTexts, "as-user-extra": mapOf(anyTexts) },
  exec: map({
    ...{ command: word, apiVersion: word, interactiveMode: word, installHint: word },
    ...{ args: anyTexts, provideClusterInfo: flag },
    env: list(map({ name: word, value: word })),
  }),
  "auth-provider": map({ name: word }),
});

function taken<T>(check: Check<T>, fields: Fields): T {
  const read = check(fields);
  if (read instanceof Wrong) throw new EntryProblem(read.words.replace(/^\./, ""));
  return read;
}

const pluginExtension = "client.authentication.k8s.io/exec";

/** Paths are absolute, and certificates PEM in base64. */
export type KubeconfigCluster = ReturnType<typeof clusterEntry>;

/** @throws EntryProblem */
export function clusterEntry(fields: Fields, folder: string) {
  const entry = taken(clusterFields, fields);
  const skipTLSVerify = entry["insecure-skip-tls-verify"] ?? false;
  const caData = entry["certificate-authority-data"];
  const caFile = absolute(entry["certificate-authority"], folder);
  refuseBoth(entry, "certificate-authority-data", "certificate-authority");
  if (skipTLSVerify && (caData ?? caFile) !== undefined) {
    throw new EntryProblem(
      "insecure-skip-tls-verify contradicts its certificate-authority; keep one of the two",
    );
  }
  return {
    // Go's URLs have no path where there is only a slash.
    server: (entry.server ?? "").replace(/\/$/, ""),
    skipTLSVerify,
    disableCompression: entry["disable-compression"] ?? false,
    ...defined({
      caData,
      caFile,
      tlsServerName: entry["tls-server-name"],
      proxyUrl: entry["proxy-url"],
      /** The entry's part for credential plugins, which alone know its shape. */
      pluginConfig: entry.extensions?.find(({ name }) => name === pluginExtension)?.extension,
    }),
  };
}

type User = Of<typeof userFields>;

/** Without a field: anonymous. Paths are absolute, and certificates and keys PEM in base64. */
export type KubeconfigUser = ReturnType<typeof userEntry>;

/** @throws EntryProblem */
export function userEntry(fields: Fields, folder: string) {
  const entry = taken(userFields, fields);
  if (entry["auth-provider"] !== undefined) throw new EntryProblem(providerProblem(entry));
  if (entry.token !== undefined && (entry.username ?? entry.password) !== undefined)
    throw new EntryProblem("token and username are two ways to log in; keep one of them");
  if ((entry["client-certificate-data"] ?? entry["client-certificate"]) !== undefined) {
    refuseBoth(entry, "client-certificate-data", "client-certificate");
    refuseBoth(entry, "client-key-data", "client-key");
    if ((entry["client-key-data"] ?? entry["client-key"]) === undefined)
      throw new EntryProblem("client-certificate has no client-key");
  }
  const { token, username, password, exec } = entry;
  return defined({
    ...{ token, username, password },
    tokenFile: absolute(entry.tokenFile, folder),
    certData: entry["client-certificate-data"],
    certFile: absolute(entry["client-certificate"], folder),
    keyData: entry["client-key-data"],
    keyFile: absolute(entry["client-key"], folder),
    impersonate: impersonation(entry),
    plugin: exec && plugin(exec, folder),
  });
}

export type Impersonation = NonNullable<ReturnType<typeof impersonation>>;

function impersonation(entry: User) {
  const { as: user, "as-uid": uid, "as-groups": groups = [], "as-user-extra": extra = {} } = entry;
  if (user !== undefined) return { user, groups, extra, ...defined({ uid }) };
  if (uid === undefined && groups.length === 0 && Object.keys(extra).length === 0) return undefined;
  throw new EntryProblem("as-uid, as-groups and as-user-extra need the name of a user in as");
}

/** The versions of `ExecCredential` that kubectl speaks. */
const pluginVersions: readonly string[] = [
  "client.authentication.k8s.io/v1",
  "client.authentication.k8s.io/v1beta1",
];

/** A credential plugin, as `exec` of a kubeconfig's user names it. */
export type ExecPlugin = ReturnType<typeof plugin>;

function plugin(exec: NonNullable<User["exec"]>, folder: string) {
  const { command, apiVersion, interactiveMode: mode, installHint, args = [], env = [] } = exec;
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
  if (mode === undefined ? apiVersion === v1 : !["Never", "IfAvailable"].includes(mode))
    throw new EntryProblem("exec.interactiveMode must be Never or IfAvailable");
  const variables = env.map(({ name, value = "" }) => {
    if (name === undefined) throw new EntryProblem("exec.env has an entry without a name");
    return [name, value] as const;
  });
  return {
    /** An absolute path, or a name without a slash, which is looked up on PATH. */
    command: command.includes("/") ? path.resolve(folder, command) : command,
    ...{ apiVersion, args, env: Object.fromEntries(variables) },
    provideClusterInfo: exec.provideClusterInfo ?? false,
    ...defined({ installHint }),
  };
}

/** Plugins to use instead of each provider; kubectl itself has none but oidc any more. */
const successors: Readonly<Record<string, string>> = {
  oidc: "kubelogin (kubectl oidc-login)",
  gcp: "gke-gcloud-auth-plugin",
  azure: "kubelogin",
};

function providerProblem({ "auth-provider": { name = "" } = {} }: User): string {
  const successor = Object.hasOwn(successors, name) ? successors[name] : undefined;
  return successor === undefined
    ? "auth-provider is not supported; use a credential plugin (exec)"
    : `auth-provider ${name} is not supported; use ${successor}, a credential plugin (exec)`;
}

/** The fields of both entries that name a path relative to the folder of their file. */
export function relativePaths(cluster: Fields, user: Fields): string[] {
  const { command } = taken(userFields, user).exec ?? {};
  const files = [
    ["certificate-authority", cluster["certificate-authority"]] as const,
    ...["client-certificate", "client-key", "tokenFile"].map((name) => [name, user[name]] as const),
    ["exec.command", command?.includes("/") === true ? command : undefined] as const,
  ];
  return files.filter(([, value]) => isRelative(value)).map(([name]) => name);
}

function isRelative(value: unknown): boolean {
  return typeof value === "string" && value !== "" && !path.isAbsolute(value);
}

function refuseBoth<K extends string>(fields: { [N in K]?: unknown }, one: K, other: K): void {
  if (fields[one] !== undefined && fields[other] !== undefined)
    throw new EntryProblem(`${one} and ${other} are both there; keep one of them`);
}

function absolute(file: string | undefined, folder: string): string | undefined {
  return file === undefined ? undefined : path.resolve(folder, file);
}
