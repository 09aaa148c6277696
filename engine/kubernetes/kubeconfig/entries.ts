import path from "node:path";
import { anything, type Check, list, map, mapOf, type Of, text, Wrong } from "../objects/checks.ts";
import { UserError } from "../../base/user-error.ts";

/** The checks follow client-go (`tools/clientcmd`) and ignore other fields; docs/reference/kubeconfig.md lists these. */

export type Fields = Readonly<Record<string, unknown>>;

const anyString = text("text; put it in quotes");
/** No file, variable or argument of a process can have a NUL. */
const anyText: Check<string> = (value) =>
  typeof value === "string" && value.includes("\0")
    ? new Wrong(" contains a NUL character")
    : anyString(value);
const anyTexts = list(anyText);

/** kubectl does not distinguish between nothing, null and "". */
const word: Check<string | undefined> = (value) => (value === "" ? undefined : anyText(value));
const flag: Check<boolean> = (value) =>
  typeof value === "boolean" ? value : new Wrong(" is neither true nor false");

const clusterFields = map({
  server: word,
  "certificate-authority-data": word,
  "certificate-authority": word,
  "insecure-skip-tls-verify": flag,
  "tls-server-name": word,
  "proxy-url": word,
  "disable-compression": flag,
  extensions: list(map({ name: anything, extension: anything })),
});

const userFields = map({
  token: word,
  tokenFile: word,
  username: word,
  password: word,
  "client-certificate-data": word,
  "client-certificate": word,
  "client-key-data": word,
  "client-key": word,
  as: word,
  "as-uid": word,
  "as-groups": anyTexts,
  "as-user-extra": mapOf(anyTexts),
  exec: map({
    command: word,
    apiVersion: word,
    installHint: word,
    args: anyTexts,
    provideClusterInfo: flag,
    env: list(map({ name: word, value: word })),
  }),
  "auth-provider": map({ name: word }),
});

function taken<T>(check: Check<T>, fields: Fields): T {
  const read = check(fields);
  if (read instanceof Wrong) throw new UserError(read.words.replace(/^\./, ""));
  return read;
}

/** Makes the paths of files absolute, and lists the fields that had relative ones. */
function located<Field extends string, E extends { readonly [F in Field]?: string }>(
  entry: E,
  files: readonly Field[],
  folder: string,
): E & { readonly relative: readonly string[] } {
  const relative = files.filter((field) => isRelative(entry[field]));
  const paths = relative.map((field) => [field, path.resolve(folder, entry[field] ?? "")]);
  return { ...entry, ...(Object.fromEntries(paths) as object), relative };
}

function isRelative(file: string | undefined): boolean {
  return file !== undefined && !path.isAbsolute(file);
}

/** Certificates are PEM in base64, and paths are absolute. */
export type KubeconfigCluster = Partial<ReturnType<typeof clusterEntry>> & {
  readonly server: string;
};

/** @throws UserError that names the field and never quotes its value */
export function clusterEntry(fields: Fields, folder: string) {
  const entry = taken(clusterFields, fields);
  const authority = entry["certificate-authority-data"] ?? entry["certificate-authority"];
  if (entry["insecure-skip-tls-verify"] === true && authority !== undefined) {
    throw new UserError(
      "insecure-skip-tls-verify contradicts its certificate-authority; keep one of the two",
    );
  }
  // Go's URLs have an empty path in place of a single slash.
  return {
    ...located(entry, ["certificate-authority"], folder),
    server: (entry.server ?? "").replace(/\/$/, ""),
  };
}

/** A user without fields is anonymous. */
export type KubeconfigUser = Partial<ReturnType<typeof userEntry>>;

/** @throws UserError that names the field and never quotes its value */
export function userEntry(fields: Fields, folder: string) {
  const { exec, "auth-provider": provider, ...entry } = taken(userFields, fields);
  if (provider !== undefined) throw new UserError(providerProblem(provider.name));
  const { as, "as-uid": uid, "as-groups": groups = [], "as-user-extra": extra = {} } = entry;
  const isImpersonating = uid !== undefined || groups.length + Object.keys(extra).length > 0;
  if (as === undefined && isImpersonating)
    throw new UserError("as-uid, as-groups and as-user-extra need the name of a user in as");
  const files = ["client-certificate", "client-key", "tokenFile"] as const;
  return { ...located(entry, files, folder), ...(exec && { exec: pluginOf(exec, folder) }) };
}

/** kubectl supports these versions of `ExecCredential`. */
const pluginVersions: readonly string[] = [
  "client.authentication.k8s.io/v1",
  "client.authentication.k8s.io/v1beta1",
];

export type ExecPlugin = Omit<ReturnType<typeof pluginOf>, "relative">;

function pluginOf(exec: NonNullable<Of<typeof userFields>["exec"]>, folder: string) {
  const { command, apiVersion, args = [], env = [], ...rest } = exec;
  if (command === undefined) throw new UserError("exec has no command");
  if (apiVersion === undefined || !pluginVersions.includes(apiVersion)) {
    throw new UserError(
      `exec.apiVersion must be ${pluginVersions.join(" or ")}; update the plugin, and write its entry again`,
    );
  }
  const variables = env.map(({ name = "", value = "" }) => [name, value] as const);
  // A command without a slash is looked up on PATH.
  const isPath = command.includes("/");
  return {
    ...rest,
    apiVersion,
    args,
    env: Object.fromEntries(variables),
    command: isPath ? path.resolve(folder, command) : command,
    relative: isPath && isRelative(command) ? ["exec.command"] : [],
  };
}

/** These plugins replace the providers, of which kubectl still has oidc alone. */
const successors = new Map([
  ["oidc", "kubelogin (kubectl oidc-login)"],
  ["gcp", "gke-gcloud-auth-plugin"],
  ["azure", "kubelogin"],
]);

function providerProblem(name = ""): string {
  const successor = successors.get(name);
  return successor === undefined
    ? "auth-provider is not supported; use a credential plugin (exec)"
    : `auth-provider ${name} is not supported; use ${successor}, a credential plugin (exec)`;
}
