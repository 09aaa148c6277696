import type { RequestOptions } from "node:https";
import { isDeepStrictEqual } from "node:util";
import type { KubeConfig } from "@kubernetes/client-node";
import type { Dispatcher } from "undici";
import type { Route, Tls } from "./dispatcher.ts";
import type { Failure } from "./failure.ts";
import type { Time } from "./retry.ts";

/** What requests are sent with until credentials change. */
export interface Session {
  readonly dispatcher: Dispatcher;
  readonly headers: Readonly<Record<string, string>>;
  /** Every credential in the form in which it could be quoted. */
  readonly secrets: readonly string[];
  readonly tls: Tls;
}

/** The kubeconfig's credentials could not be loaded: a plugin failed, or a file is missing. */
export class CredentialsMissing extends Error {
  readonly failure: Failure;

  constructor(detail: string) {
    super(detail);
    this.failure = { kind: "unauthorized", transient: false, detail };
  }
}

/** How connections are made: `dispatcher` makes them, and the rest is said to it. */
export interface Connections extends Pick<Route, "connections" | "connectTimeout"> {
  readonly dispatcher: (route: Route) => Dispatcher;
}

/** In ms: how often credentials are loaded again, and at most renewed on a 401. */
const credentialsAge = 30_000;

/**
 * Credentials and connections of one cluster. Credentials come from the library, which reads
 * certificate and token files, runs exec plugins and refreshes OIDC tokens; it is asked again now
 * and then because these expire, and starts anew when the server has answered 401.
 */
export class Sessions {
  #kubeconfig: KubeConfig;
  readonly #reread: () => Promise<KubeConfig>;
  readonly #connections: Connections;
  readonly #time: Time;
  #session: Promise<Session> | undefined;
  /** The last one that was made. */
  #latest: Session | undefined;
  #askedAt = -Infinity;
  #renewedAt = -Infinity;

  constructor(
    kubeconfig: KubeConfig,
    reread: () => Promise<KubeConfig>,
    connections: Connections,
    time: Time,
  ) {
    this.#kubeconfig = kubeconfig;
    this.#reread = reread;
    this.#connections = connections;
    this.#time = time;
  }

  /** Throws CredentialsMissing, the same one to all who ask within `credentialsAge`. */
  current(): Promise<Session> {
    if (this.#session !== undefined && this.#time.now() - this.#askedAt <= credentialsAge) {
      return this.#session;
    }
    const session = this.#next();
    this.#session = session;
    return session;
  }

  /**
   * Reads the kubeconfig again after `refused` was answered with 401, unless another request has
   * done so meanwhile. Returns whether there are other credentials to try now.
   */
  async renew(refused: Session): Promise<boolean> {
    const isCurrent = (await this.current()) === refused;
    if (isCurrent && this.#time.now() - this.#renewedAt > credentialsAge) {
      this.#renewedAt = this.#time.now();
      this.#session = this.#anew(refused);
    }
    return (await this.current()) !== refused;
  }

  async close(): Promise<void> {
    await this.#session?.catch(() => undefined);
    await this.#latest?.dispatcher.destroy();
  }

  async #anew(refused: Session): Promise<Session> {
    try {
      // A new KubeConfig has an empty cache: exec plugins run again.
      this.#kubeconfig = await this.#reread();
      return await this.#next();
    } catch {
      // The server's 401 says more than that there are no other credentials.
      return refused;
    }
  }

  /** A new session, or the latest one if nothing has changed. */
  async #next(): Promise<Session> {
    this.#askedAt = this.#time.now();
    try {
      return await this.#made();
    } catch (error) {
      // Neither the output of a plugin nor what a library quotes of a credential may be repeated.
      throw new CredentialsMissing(this.#whyNone(error));
    }
  }

  async #made(): Promise<Session> {
    const options: RequestOptions = {};
    await this.#kubeconfig.applyToHTTPSOptions(options);
    const tls = tlsOf(options);
    const headers = headersOf(options);
    const latest = this.#latest;
    const sameTls = latest !== undefined && isDeepStrictEqual(latest.tls, tls);
    if (sameTls && isDeepStrictEqual(latest.headers, headers)) {
      return latest;
    }
    const dispatcher = sameTls ? latest.dispatcher : this.#dispatcher(tls);
    if (latest !== undefined && !sameTls) {
      // Lets requests under way finish; nobody waits for it, and a failure changes nothing.
      latest.dispatcher.close().catch(() => undefined);
    }
    this.#latest = { headers, tls, dispatcher, secrets: secretsOf(headers, this.#kubeconfig) };
    return this.#latest;
  }

  #whyNone(error: unknown): string {
    const context = this.#kubeconfig.getCurrentContext();
    const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
    return `kubectl --context ${context} get --raw /version shows why${code}`;
  }

  #dispatcher(tls: Tls): Dispatcher {
    const cluster = this.#kubeconfig.getCurrentCluster();
    const { dispatcher, ...settings } = this.#connections;
    return dispatcher({
      ...settings,
      server: new URL(cluster?.server ?? ""),
      proxy: cluster?.proxyUrl,
      tls,
    });
  }
}

const tlsOptions = new Set([
  "ca",
  "cert",
  "key",
  "passphrase",
  "pfx",
  "rejectUnauthorized",
  "servername",
]);

/** Only what is set: an explicit undefined would switch off a default of TLS. */
function tlsOf(options: RequestOptions): Tls {
  return Object.fromEntries(
    Object.entries(options).filter(([name, value]) => tlsOptions.has(name) && value !== undefined),
  );
}

function headersOf({ auth, headers }: RequestOptions): Record<string, string> {
  const all = new Headers();
  if (typeof auth === "string") {
    all.set("authorization", `Basic ${Buffer.from(auth).toString("base64")}`);
  }
  for (const [name, value] of Object.entries(headers ?? {})) {
    // A token file often ends with a line break, which no header may hold; Headers trims it.
    all.set(name, String(value));
  }
  return Object.fromEntries(all);
}

function secretsOf(headers: Readonly<Record<string, string>>, kubeconfig: KubeConfig): string[] {
  const user = kubeconfig.getCurrentUser();
  const sent = headers.authorization?.replace(/^\w+ /, "");
  const all = [sent, user?.token?.trim(), user?.password, user?.keyData];
  return all.flatMap((secret) => (secret ? [secret] : []));
}
