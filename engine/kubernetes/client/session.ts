import { isDeepStrictEqual } from "node:util";
import type { Dispatcher } from "undici";
import type { Authentication, Authenticator, Tls } from "../kubeconfig/authentication.ts";
import type { Route } from "./dispatcher.ts";
import type { Proxy } from "../kubeconfig/proxy.ts";
import { type Redact, redactor } from "./redaction.ts";
import type { Time } from "./retry.ts";

/** Credentials and connections that requests are sent with until either change. */
export interface Session extends Omit<Authentication, "sent"> {
  readonly dispatcher: Dispatcher;
  /** The field or variable that names the proxy in between, if there is one. */
  readonly proxy?: string;
  /** Decides about what the server says. */
  readonly redact: Redact;
}

/** The way that connections take, and the function that makes them. */
export interface Connections extends Omit<Route, "tls"> {
  readonly dispatcher: (route: Route) => Dispatcher;
}

/** Milliseconds after which credentials are loaded again, and between two renewals on a 401. */
const credentialsAge = 30_000;

/**
 * Credentials and connections of one cluster. Credentials are loaded again now and then, because
 * they expire and files are replaced, and start anew when the server has answered 401.
 */
export class Sessions {
  #authenticator: Authenticator;
  readonly #reread: () => Promise<Authenticator>;
  readonly #connections: Connections;
  readonly #time: Time;
  #session: Promise<Session> | undefined;
  /** The last one that was made. */
  #latest: Session | undefined;
  /** When credentials have to be loaded again. */
  #due = -Infinity;
  #renewedAt = -Infinity;

  constructor(
    authenticator: Authenticator,
    reread: () => Promise<Authenticator>,
    connections: Connections,
    time: Time,
  ) {
    this.#authenticator = authenticator;
    this.#reread = reread;
    this.#connections = connections;
    this.#time = time;
  }

  /** Throws CredentialsMissing, the same one to all who ask within `credentialsAge`. */
  current(): Promise<Session> {
    if (this.#session !== undefined && this.#time.now() <= this.#due) {
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
      // A new one remembers nothing: plugins run again.
      this.#authenticator = await this.#reread();
      return await this.#next();
    } catch {
      // The server's 401 says more than that there are no other credentials.
      return refused;
    }
  }

  /** A new session, or the latest one if nothing has changed. */
  async #next(): Promise<Session> {
    const now = this.#time.now();
    this.#due = now + credentialsAge;
    const { sent, ...authentication } = await this.#authenticator.authenticate();
    const { tls, headers, expires = Infinity } = authentication;
    const left = expires - Date.now();
    // One that is given out expired is shown all the same: clocks differ.
    if (left > 0) this.#due = Math.min(this.#due, now + left);
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
    const { proxy } = this.#connections;
    const redact = redactor([...sent, ...sentTo(proxy)]);
    this.#latest = { ...authentication, dispatcher, redact, ...(proxy && { proxy: proxy.from }) };
    return this.#latest;
  }

  #dispatcher(tls: Tls): Dispatcher {
    const { dispatcher, ...route } = this.#connections;
    return dispatcher({ ...route, tls });
  }
}

/** A proxy sees the password that it is sent, and so may whoever answers in its place. */
function sentTo(proxy: Proxy | undefined): string[] {
  if (proxy === undefined || proxy.url.password === "") return [];
  const [username = "", password = ""] = [proxy.url.username, proxy.url.password].map(
    decodeURIComponent,
  );
  return [password, Buffer.from(`${username}:${password}`).toString("base64")];
}
