import { isDeepStrictEqual } from "node:util";
import type { Dispatcher } from "undici";
import type { Authenticate, Authentication, Tls } from "../kubeconfig/authentication.ts";
import type { Proxy } from "../kubeconfig/proxy.ts";
import { type Redact, redactor } from "./redaction.ts";
import type { Time } from "./retry.ts";
import { unlessBug } from "../../base/user-error.ts";

export interface Session extends Omit<Authentication, "sent"> {
  readonly dispatcher: Dispatcher;
  /** This field or variable names the proxy, if there is one. */
  readonly proxy: string | undefined;
  readonly redact: Redact;
}

interface Access {
  readonly authenticate: Authenticate;
  /** Reads the kubeconfig again, and forgets credentials, so that plugins run again. */
  readonly reread: () => Promise<Authenticate>;
  readonly connect: (tls: Tls) => Dispatcher;
  readonly proxy: Proxy | undefined;
  readonly time: Pick<Time, "now">;
}

/** Credentials are loaded again after this many milliseconds, which also lie between two renewals on a 401. */
const credentialsAge = 30_000;

export type Sessions = ReturnType<typeof sessionsOf>;

/** Credentials expire and files are replaced. After a 401, the kubeconfig is read again too. */
export function sessionsOf({ authenticate: first, reread, connect, proxy, time }: Access) {
  let authenticate = first;
  let session: Promise<Session> | undefined;
  let latest: Session | undefined;
  let due = -Infinity;
  let renewedAt = -Infinity;

  /** Returns the latest session if nothing has changed. */
  const next = async (): Promise<Session> => {
    const now = time.now();
    due = now + credentialsAge;
    const { sent, ...authentication } = await authenticate();
    const { tls, headers, expires = Infinity } = authentication;
    const left = expires - Date.now();
    // Clocks differ, so a credential that seems to have expired is used anyway.
    if (left > 0) due = Math.min(due, now + left);
    const known = isDeepStrictEqual(latest?.tls, tls) ? latest : undefined;
    if (known !== undefined && isDeepStrictEqual(known.headers, headers)) return known;
    // Requests in progress finish on the old connections, for which nothing waits.
    if (known === undefined) latest?.dispatcher.close().catch(unlessBug(undefined));
    const dispatcher = known?.dispatcher ?? connect(tls);
    const redact = redactor([...sent, ...sentTo(proxy)]);
    latest = { ...authentication, dispatcher, redact, proxy: proxy?.from };
    return latest;
  };

  const reauthenticated = async (): Promise<Session> => {
    authenticate = await reread();
    return next();
  };

  /** Throws the same CredentialsMissing to all callers within `credentialsAge`. */
  const current = (): Promise<Session> => {
    if (session === undefined || time.now() > due) session = next();
    return session;
  };

  return {
    current,

    /** Returns whether there are other credentials to try than those that the server answered with 401. */
    async renew(refused: Session): Promise<boolean> {
      const isCurrent = (await current()) === refused;
      if (isCurrent && time.now() - renewedAt > credentialsAge) {
        renewedAt = time.now();
        // The server's 401 is a better error than one about credentials.
        session = reauthenticated().catch(unlessBug(refused));
      }
      return (await current()) !== refused;
    },

    async close(): Promise<void> {
      await session?.catch(() => undefined);
      await latest?.dispatcher.destroy();
    },
  };
}

/** A proxy, and any server that answers in its place, can quote the password that it was sent. */
function sentTo(proxy: Proxy | undefined): string[] {
  if (proxy === undefined || proxy.url.password === "") return [];
  const [username = "", password = ""] = [proxy.url.username, proxy.url.password].map(
    decodeURIComponent,
  );
  return [password, Buffer.from(`${username}:${password}`).toString("base64")];
}
