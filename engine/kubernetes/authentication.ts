import { readFile } from "node:fs/promises";
import type { Tls } from "./dispatcher.ts";
import { type PluginCredential, PluginFailure, runPlugin } from "./exec-plugin.ts";
import type { Failure } from "./failure.ts";
import type { Kubeconfig } from "./kubeconfig.ts";
import { impersonationHeaders, UnsendableHeader } from "./impersonation.ts";
import { OidcLogin } from "./oidc.ts";
import type { Secrets } from "./redaction.ts";

/** What a kubeconfig's context has requests sent with. */
export interface Authentication {
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly tls: Tls;
  readonly secrets: Secrets;
  /** Milliseconds since 1970, if the credential says so. */
  readonly expires?: number;
}

/** The kubeconfig's credentials could not be loaded: a plugin failed, or a file is missing. */
export class CredentialsMissing extends Error {
  readonly failure: Failure;

  constructor(detail: string) {
    super(detail);
    this.failure = { kind: "unauthorized", transient: false, detail };
  }
}

/** How credential plugins are run. */
export interface PluginSettings {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Milliseconds that one may take. */
  readonly pluginTimeout: number;
}

/**
 * Logs in as one context says, in the order of precedence of client-go. Files are read anew each time;
 * a plugin runs again when its credential has expired.
 */
export class Authenticator {
  readonly #kubeconfig: Kubeconfig;
  readonly #settings: PluginSettings;
  readonly #oidc: OidcLogin | undefined;
  #credential: PluginCredential | undefined;

  constructor(kubeconfig: Kubeconfig, settings: PluginSettings) {
    const { oidc } = kubeconfig.user;
    this.#kubeconfig = kubeconfig;
    this.#settings = settings;
    this.#oidc = oidc && new OidcLogin(oidc);
  }

  /** @throws CredentialsMissing */
  async authenticate(): Promise<Authentication> {
    try {
      return await this.#authenticate();
    } catch (error) {
      if (error instanceof CredentialsMissing) throw error;
      if (error instanceof UnsendableHeader) throw new CredentialsMissing(error.message);
      const shows = `kubectl --context ${this.#kubeconfig.context} get --raw /version shows why`;
      if (error instanceof PluginFailure)
        throw new CredentialsMissing(`${error.message}; ${shows}`);
      // What a library says may quote what it was given.
      const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
      throw new CredentialsMissing(shows + code);
    }
  }

  async #authenticate(): Promise<Authentication> {
    const { user } = this.#kubeconfig;
    const [ca, cert, key, fixed] = await Promise.all([
      this.#authority(),
      contentOf("client-certificate", user.certData, user.certFile),
      contentOf("client-key", user.keyData, user.keyFile),
      this.#token(),
    ]);
    const basic = user.username !== undefined || user.password !== undefined;
    // As with kubectl, a plugin runs only where there is nothing else to log in with.
    const runs = fixed === undefined && !basic && cert === undefined;
    const plugin = runs ? await this.#fromPlugin() : undefined;
    const token = basic ? undefined : (fixed ?? plugin?.token ?? (await this.#fromProvider()));
    const login = `${user.username ?? ""}:${user.password ?? ""}`;
    const { skipTLSVerify, tlsServerName } = this.#kubeconfig.cluster;
    const pair = plugin?.certificate ?? (cert && key && { cert, key });
    return {
      headers: {
        ...(basic && { authorization: `Basic ${base64(login)}` }),
        ...(token !== undefined && { authorization: bearer(token) }),
        ...impersonationHeaders(user.impersonate),
      },
      tls: {
        // Always said, so that no variable of Node's can switch verification off.
        rejectUnauthorized: !skipTLSVerify,
        ...(ca !== undefined && { ca }),
        ...pair,
        ...(tlsServerName !== undefined && { servername: tlsServerName }),
      },
      secrets: {
        credentials: [
          ...[token, user.token, user.password, user.keyData, plugin?.certificate?.key],
          ...(token === undefined ? [] : [bearer(token)]),
          ...(key === undefined ? [] : [key.toString()]),
          ...(basic ? [`Basic ${base64(login)}`, base64(login), login] : []),
          ...Object.entries(user.oidc ?? {}).flatMap(([name, value]) =>
            /token|secret/.test(name) ? [value] : [],
          ),
        ],
        settings: [...Object.values(user.plugin?.env ?? {}), ...(user.plugin?.args ?? [])].filter(
          ({ length }) => length >= 16,
        ),
      },
      ...(plugin?.expires !== undefined && { expires: plugin.expires }),
    };
  }

  #authority(): Promise<Buffer | undefined> {
    const { caData, caFile } = this.#kubeconfig.cluster;
    return contentOf("certificate-authority", caData, caFile);
  }

  /** The file wins, so that a token can be replaced; without the file the token is used. */
  async #token(): Promise<string | undefined> {
    const { tokenFile, token } = this.#kubeconfig.user;
    if (tokenFile === undefined) return token;
    try {
      const text = (await contentOf("tokenFile", undefined, tokenFile))?.toString().trim();
      if (text) return text;
    } catch (error) {
      if (token === undefined) throw error;
    }
    if (token !== undefined) return token;
    throw new CredentialsMissing("the file that tokenFile names is empty");
  }

  async #fromPlugin(): Promise<PluginCredential | undefined> {
    const { plugin } = this.#kubeconfig.user;
    if (plugin === undefined) return undefined;
    const { expires = Infinity } = this.#credential ?? { expires: 0 };
    if (this.#credential === undefined || expires <= Date.now()) {
      this.#credential = await runPlugin(plugin, {
        variables: this.#settings.variables,
        limit: this.#settings.pluginTimeout,
        cluster: () => this.#clusterInfo(),
      });
    }
    return this.#credential;
  }

  async #fromProvider(): Promise<string | undefined> {
    if (this.#oidc === undefined) return undefined;
    const token = await this.#oidc.token();
    if (token !== undefined) return token;
    throw new CredentialsMissing(
      "the id-token of auth-provider oidc has expired or is not there, and can't be refreshed; log in again",
    );
  }

  /** `spec.cluster` of an ExecCredential. */
  async #clusterInfo(): Promise<unknown> {
    const { cluster } = this.#kubeconfig;
    const ca = await this.#authority();
    return {
      server: cluster.server,
      ...(cluster.tlsServerName !== undefined && { "tls-server-name": cluster.tlsServerName }),
      ...(cluster.skipTLSVerify && { "insecure-skip-tls-verify": true }),
      ...(ca !== undefined && { "certificate-authority-data": ca.toString("base64") }),
      ...(cluster.proxyUrl !== undefined && { "proxy-url": cluster.proxyUrl }),
      ...(cluster.disableCompression && { "disable-compression": true }),
      ...(cluster.pluginConfig !== undefined && { config: cluster.pluginConfig }),
    };
  }
}

async function contentOf(
  field: string,
  data: string | undefined,
  file: string | undefined,
): Promise<Buffer | undefined> {
  if (data !== undefined) return Buffer.from(data, "base64");
  if (file === undefined) return undefined;
  try {
    return await readFile(file);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    throw new CredentialsMissing(`the file that ${field} names can't be read (${code})`);
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
