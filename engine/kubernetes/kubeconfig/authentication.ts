import { readFile } from "node:fs/promises";
import type { ConnectionOptions } from "node:tls";
import { defined } from "../objects/defined.ts";
import { type PluginCredential, PluginFailure, runPlugin } from "./exec-plugin.ts";
import { codeOf } from "../objects/plain.ts";
import type { Kubeconfig } from "./kubeconfig.ts";
import type { KubeconfigCluster, KubeconfigUser } from "./entries.ts";

/** The part of TLS that a kubeconfig decides. */
export type Tls = Pick<
  ConnectionOptions,
  "ca" | "cert" | "key" | "rejectUnauthorized" | "servername"
>;

/** Headers and TLS settings that a kubeconfig's context has requests sent with. */
export interface Authentication {
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly tls: Tls;
  /** Credentials in these headers, which whoever answers has been sent. A private key is never sent. */
  readonly sent: readonly string[];
  /** Milliseconds since 1970, if the credential says so. */
  readonly expires?: number;
}

/** The kubeconfig's credentials could not be loaded: a plugin failed, or a file is missing. */
export class CredentialsMissing extends Error {}

/** Settings for running credential plugins. */
export interface PluginSettings {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Milliseconds that one may take. */
  readonly pluginTimeout: number;
}

/** @throws CredentialsMissing */
export type Authenticate = () => Promise<Authentication>;

/**
 * Logs in as one context says, in the order of precedence of client-go. Files are read anew each time;
 * a plugin runs again when its credential has expired.
 */
export function authenticatorOf(
  { context, cluster, user }: Kubeconfig,
  { variables, pluginTimeout: limit }: PluginSettings,
): Authenticate {
  let credential: PluginCredential | undefined;
  const fromPlugin = async () => {
    if (user.exec === undefined) return undefined;
    if (credential === undefined || (credential.expires ?? Infinity) <= Date.now()) {
      const run = { variables, limit, cluster: () => clusterInfo(cluster) };
      credential = await runPlugin(user.exec, run);
    }
    return credential;
  };
  return async () => {
    try {
      return await authenticate(cluster, user, fromPlugin);
    } catch (error) {
      if (error instanceof CredentialsMissing) throw error;
      const shows = `kubectl --context ${context} get --raw /version shows why`;
      if (error instanceof PluginFailure)
        throw new CredentialsMissing(`${error.message}; ${shows}`);
      // What a library says may quote what it was given.
      throw new CredentialsMissing(`${shows} (${codeOf(error)})`);
    }
  };
}

async function authenticate(
  cluster: KubeconfigCluster,
  user: KubeconfigUser,
  fromPlugin: () => Promise<PluginCredential | undefined>,
): Promise<Authentication> {
  const [ca, cert, key, fixed] = await Promise.all([
    contentOf(cluster, "certificate-authority"),
    contentOf(user, "client-certificate"),
    contentOf(user, "client-key"),
    tokenOf(user),
  ]);
  const { username = "", password = "" } = user;
  const login = username + password && base64(`${username}:${password}`);
  // As with kubectl, a plugin runs only where there is nothing else to log in with.
  const runs = fixed === undefined && login === "" && cert === undefined;
  const plugin = runs ? await fromPlugin() : undefined;
  const token = login === "" ? (fixed ?? plugin?.token) : undefined;
  const authorization = login === "" ? token && bearer(token) : `Basic ${login}`;
  return {
    headers: { ...defined({ authorization }), ...impersonationHeaders(user) },
    tls: {
      // Always said, so that no variable of Node's can switch verification off.
      rejectUnauthorized: cluster["insecure-skip-tls-verify"] !== true,
      ...defined({ ca, servername: cluster["tls-server-name"] }),
      ...(plugin?.certificate ?? (cert && key && { cert, key })),
    },
    sent: [token ?? "", password, login],
    ...defined({ expires: plugin?.expires }),
  };
}

/** The file wins, so that a token can be replaced; without the file the token is used. */
async function tokenOf(user: KubeconfigUser): Promise<string | undefined> {
  const { tokenFile, token } = user;
  if (tokenFile === undefined) return token;
  try {
    const text = (await contentOf(user, "tokenFile"))?.toString().trim();
    if (text) return text;
  } catch (error) {
    if (token === undefined) throw error;
  }
  if (token !== undefined) return token;
  throw new CredentialsMissing("the file that tokenFile names is empty");
}

/** The extension that is for credential plugins, which alone know its shape. */
const pluginExtension = "client.authentication.k8s.io/exec";

/** `spec.cluster` of an ExecCredential. */
async function clusterInfo(cluster: KubeconfigCluster): Promise<unknown> {
  const ca = await contentOf(cluster, "certificate-authority");
  return defined({
    server: cluster.server,
    "tls-server-name": cluster["tls-server-name"],
    "insecure-skip-tls-verify": cluster["insecure-skip-tls-verify"] || undefined,
    "certificate-authority-data": ca?.toString("base64"),
    "proxy-url": cluster["proxy-url"],
    "disable-compression": cluster["disable-compression"] || undefined,
    config: cluster.extensions?.find(({ name }) => name === pluginExtension)?.extension,
  });
}

/** What a field names a file of, or what the same field with `-data` has in base64. */
async function contentOf<Field extends string>(
  entry: { readonly [Name in Field | `${Field}-data`]?: string },
  field: Field,
): Promise<Buffer | undefined> {
  const { [field]: file, [`${field}-data` as const]: data }: Partial<Record<string, string>> =
    entry;
  if (data !== undefined) return Buffer.from(data, "base64");
  if (file === undefined) return undefined;
  try {
    return await readFile(file);
  } catch (error) {
    throw new CredentialsMissing(`the file that ${field} names can't be read (${codeOf(error)})`);
  }
}

function bearer(token: string): string {
  const text = token.trim();
  if (/^[\x21-\x7e]+$/.test(text)) return `Bearer ${text}`;
  throw new CredentialsMissing("the token is not one line of printable characters without blanks");
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

/** Headers as client-go's: one for each value, with keys percent-encoded. */
function impersonationHeaders(user: KubeconfigUser): Authentication["headers"] {
  const { as, "as-uid": uid, "as-groups": groups = [], "as-user-extra": extra = {} } = user;
  if (as === undefined) return {};
  const extras = Object.entries(extra)
    .filter(([, values]) => values.length > 0)
    .map(([key, values]) => [
      `impersonate-extra-${encodeURIComponent(key).toLowerCase()}`,
      values.map(headerValue),
    ]);
  return {
    "impersonate-user": headerValue(as),
    ...(uid !== undefined && { "impersonate-uid": headerValue(uid) }),
    ...(groups.length > 0 && { "impersonate-group": groups.map(headerValue) }),
    ...(Object.fromEntries(extras) as Record<string, string[]>),
  };
}

/** Other characters than these reach an API server in another encoding than kubectl's. */
function headerValue(value: string): string {
  if (/^[\x20-\x7e]*$/.test(value)) return value;
  throw new CredentialsMissing("as, as-uid, as-groups and as-user-extra must be printable ASCII");
}
