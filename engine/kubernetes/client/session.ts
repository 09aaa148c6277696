import { isDeepStrictEqual } from "node:util";
import type { Dispatcher } from "undici";
import type { Authenticate, Authentication, Tls } from "../kubeconfig/authentication.ts";
import type { Proxy } from "../kubeconfig/proxy.ts";
import { type Redact, redactor } from "./redaction.ts";
import type { Time } from "./retry.ts";

/** Credentials and connections that requests are sent with until either change. */
export interface Session extends Omit<Authentication, "sent"> {
  readonly dispatcher: Dispatcher;
  /** The field or variable that names the proxy in between, if there is one. */
  readonly proxy: string | undefined;
  /** Decides about what the server says. */
  readonly redact: Redact;
}

/** How one cluster is logged in to and connected to. */
export interface Access {
  readonly authenticate: Authenticate;
  /** The kubeconfig read again. What it returns remembers nothing: plugins run again. */
  readonly reread: () => Promise<Authenticate>;
  readonly connect: (tls: Tls) => Dispatcher;
  readonly proxy: Proxy | undefined;
  readonly time: Pick<Time, "now">;
}

/** Milliseconds after which credentials are loaded again, and between two renewals on a 401. */
const credentialsAge = 30_000;

export type Sessions = ReturnType<typeof sessionsOf>;

/**
 * Credentials and connections of one cluster. Credentials are loaded again now and then, because
 * they expire and files are replaced, and start anew when the server has answered 401.
 */
export function sessionsOf({ authenticate: first, reread, connect, proxy, time }: Access) {
  let authenticate = first;
  let session: Promise<Session> | undefined;
  /** The last one that was made. */
  let latest: Session | undefined;
  /** When credentials have to be loaded again. */
  let due = -Infinity;
  let renewedAt = -Infinity;

  /** A new session, or the latest one if nothing has changed. */
  const next = async (): Promise<Session> => {
    const now = time.now();
    due = now + credentialsAge;
    const { sent, ...authentication } = await authenticate();
    const { tls, headers, expires = Infinity } = authentication;
    const left = expires - Date.now();
    // One that is given out expired is shown all the same: clocks differ.
    if (left > 0) due = Math.min(due, now + left);
    const known = isDeepStrictEqual(latest?.tls, tls) ? latest : undefined;
    if (known !== undefined && isDeepStrictEqual(known.headers, headers)) return known;
    // Lets requests under way finish; nobody waits for it, and a failure changes nothing.
    if (known === undefined) latest?.dispatcher.close().catch(() => undefined);
    const dispatcher = known?.dispatcher ?? connect(tls);
    const redact = redactor([...sent, ...sentTo(proxy)]);
    latest = { ...authentication, dispatcher, redact, proxy: proxy?.from };
    return latest;
  };

  const anew = async (refused: Session): Promise<Session> => {
    try {
      authenticate = await reread();
      return await next();
    } catch {
      // The server's 401 says more than that there are no other credentials.
      return refused;
    }
  };

  /** Throws CredentialsMissing, the same one to all who ask within `credentialsAge`. */
  const current = (): Promise<Session> => {
    if (session === undefined || time.now() > due) session = next();
    return session;
  };

  return {
    current,

    /**
     * Reads the kubeconfig again after `refused` was answered with 401, unless another request has
     * done so meanwhile. Returns whether there are other credentials to try now.
     */
    async renew(refused: Session): Promise<boolean> {
      const isCurrent = (await current()) === refused;
      if (isCurrent && time.now() - renewedAt > credentialsAge) {
        renewedAt = time.now();
        session = anew(refused);
      }
      return (await current()) !== refused;
    },

    async close(): Promise<void> {
      await session?.catch(() => undefined);
      await latest?.dispatcher.destroy();
    },
  };
}

/** A proxy sees the password that it is sent, and so may whoever answers in its place. */
function sentTo(proxy: Proxy | undefined): string[] {
  if (proxy === undefined || proxy.url.password === "") return [];
  const [username = "", password = ""] = [proxy.url.username, proxy.url.password].map(
    decodeURIComponent,
  );
  return [password, Buffer.from(`${username}:${password}`).toString("base64")];
}
