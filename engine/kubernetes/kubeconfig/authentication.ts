import { kubectlIn } from "../objects/names.ts";
import { readFile } from "node:fs/promises";
import type { ConnectionOptions } from "node:tls";
import { omitUndefined } from "../../base/omit-undefined.ts";
import { type PluginCredential, type PluginRun, runPlugin } from "./exec-plugin.ts";
import type { Kubeconfig } from "./kubeconfig.ts";
import type { KubeconfigCluster, KubeconfigUser } from "./entries.ts";
import { codeOf, UserError } from "../../base/user-error.ts";

export type Tls = Pick<
  ConnectionOptions,
  "ca" | "cert" | "key" | "rejectUnauthorized" | "servername"
>;

export interface Authentication {
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly tls: Tls;
  /** The server can quote these credentials. A private key is never sent. */
  readonly sent: readonly string[];
  /** The credential expires at this time, in milliseconds since 1970. */
  readonly expires?: number;
}

/** The kubeconfig's credentials could not be loaded: a plugin failed, or a file is missing. */
export class CredentialsMissing extends UserError {}

/** @throws CredentialsMissing */
export type Authenticate = () => Promise<Authentication>;

/** Files are read again each time, and a plugin runs again when its credential has expired. */
export function authenticatorOf(
  { context, cluster, user }: Kubeconfig,
  settings: Pick<PluginRun, "variables" | "limit">,
): Authenticate {
  let credential: PluginCredential | undefined;
  const fromPlugin = async () => {
    if (user.exec === undefined) return undefined;
    if (credential === undefined || (credential.expires ?? Infinity) <= Date.now()) {
      const run = { ...settings, cluster: () => clusterInfo(cluster) };
      credential = await runPlugin(user.exec, run);
    }
    return credential;
  };
  return async () => {
    try {
      return await authenticate(cluster, user, fromPlugin);
    } catch (error) {
      if (error instanceof CredentialsMissing || !(error instanceof UserError)) throw error;
      const shows = `${kubectlIn(context)} get --raw /version shows why`;
      throw new CredentialsMissing(`${error.message}; ${shows}`);
    }
  };
}

/** A key in PEM says that it is encrypted in its first line, or in the header after it. */
const encryptedPem = /^(-----BEGIN ENCRYPTED PRIVATE KEY-----|Proc-Type: 4,ENCRYPTED)/m;

/** The order of precedence is client-go's. */
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
  if (key !== undefined && encryptedPem.test(key.toString("latin1")))
    throw new CredentialsMissing(
      "its client-key is encrypted, and no run can ask for the passphrase: use a key that isn't, a token or an exec plugin",
    );
  const { username = "", password = "" } = user;
  const login = username + password && base64(`${username}:${password}`);
  // As with kubectl, a plugin runs only if the user has no other credential.
  const runs = fixed === undefined && login === "" && cert === undefined;
  const plugin = runs ? await fromPlugin() : undefined;
  const token = login === "" ? (fixed ?? plugin?.token) : undefined;
  const authorization = login === "" ? token && bearer(token) : `Basic ${login}`;
  return {
    headers: { ...omitUndefined({ authorization }), ...impersonationHeaders(user) },
    tls: {
      // It is always set, so that NODE_TLS_REJECT_UNAUTHORIZED can't switch verification off.
      rejectUnauthorized: cluster["insecure-skip-tls-verify"] !== true,
      ...omitUndefined({ ca, servername: cluster["tls-server-name"] }),
      ...(plugin?.certificate ?? (cert && key && { cert, key })),
    },
    sent: [token ?? "", password, login],
    ...omitUndefined({ expires: plugin?.expires }),
  };
}

/** The file wins over the token, so that a token can be replaced. */
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

/** Returns `spec.cluster` of an ExecCredential. */
async function clusterInfo(cluster: KubeconfigCluster): Promise<unknown> {
  const ca = await contentOf(cluster, "certificate-authority");
  return omitUndefined({
    server: cluster.server,
    "tls-server-name": cluster["tls-server-name"],
    "insecure-skip-tls-verify": cluster["insecure-skip-tls-verify"] || undefined,
    "certificate-authority-data": ca?.toString("base64"),
    "proxy-url": cluster["proxy-url"],
    "disable-compression": cluster["disable-compression"] || undefined,
    config: cluster.extensions?.find(({ name }) => name === "client.authentication.k8s.io/exec")
      ?.extension,
  });
}

/** Reads the file that a field names, or the base64 of the same field with `-data`. */
async function contentOf<Field extends string>(
  entry: { readonly [Name in Field | `${Field}-data`]?: string },
  field: Field,
): Promise<Buffer | undefined> {
  const { [field]: file, [`${field}-data` as const]: data }: Partial<Record<string, string>> =
    entry;
  if (data !== undefined) return Buffer.from(data, "base64");
  if (file === undefined) return undefined;
  return readFile(file).catch((error: unknown) => {
    throw new CredentialsMissing(`the file that ${field} names can't be read (${codeOf(error)})`);
  });
}

function bearer(token: string): string {
  const text = token.trim();
  if (/^[\x21-\x7e]+$/.test(text)) return `Bearer ${text}`;
  throw new CredentialsMissing("the token is not one line of printable characters without blanks");
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

/** As in client-go, there is a header for each value, and keys are percent-encoded. */
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
