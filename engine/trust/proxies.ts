import { type Bundle, has } from "./bundle.ts";
import type { MeshedProxy, presentIn, PresentTrust } from "./live.ts";

type Present = ReturnType<typeof presentIn>;

/** A day, Linkerd's default `identity.issuer.issuanceLifetime`, in milliseconds. */
export const dayLong = 24 * 60 * 60 * 1000;

/**
 * How long after a new issuer a new pod may still get a certificate from the old one, while the
 * kubelet brings the Secret to the identity controller; and how far clocks may be apart. In ms.
 */
const settling = 5 * 60 * 1000;

/** Why clusters' proxies could not be read: nothing may be concluded about these. */
export function unreadProxies(present: Present): string[] {
  return present.flatMap(([, { proxies }]) => (proxies.state === "unread" ? [proxies.why] : []));
}

/**
 * How long a pod may take from when its proxy was set up until the proxy runs. In milliseconds. One
 * that takes longer carries no traffic that could break, and must not hold up everybody else.
 */
const starting = 15 * 60 * 1000;

/** Proxies that trust none of these anchors: they would refuse whoever has a certificate under them. */
export function trustingNone(present: Present, anchors: Bundle, now: Date): string[] {
  return found(
    present,
    ({ trusts, createdAt, started }) =>
      (started || now.getTime() - createdAt.getTime() < starting) &&
      !trusts.some((anchor) => has(anchors, anchor)),
  );
}

/**
 * Proxies that may still present a certificate of the issuer before: older than the issuer that is
 * live, which has not been there for as long as certificates live (`lifetime`, in milliseconds).
 */
export function withOldCertificate(present: Present, now: Date, lifetime: number): string[] {
  return found(present, ({ createdAt, started }, { issuerSince }) => {
    const since = issuerSince.getTime() + settling;
    // One that has never run has no certificate yet.
    return started && createdAt.getTime() < since && now.getTime() < since + lifetime;
  });
}

/** When the last of them will have renewed its certificate by itself. */
export function renewedBy(present: Present, lifetime: number): Date {
  const latest = Math.max(...present.map(([, { issuerSince }]) => issuerSince.getTime()));
  return new Date(latest + settling + lifetime);
}

/** The words about restarts that would bring no certificate of the new issuer yet; "" where they would. */
export function notBefore(present: Present, now: Date): string {
  const from = renewedBy(present, 0);
  if (from <= now) return "";
  return ` (not before ${from.toISOString()}, since until then new pods may get a certificate from the old issuer)`;
}

function found(
  present: Present,
  matches: (proxy: MeshedProxy, trust: PresentTrust) => boolean,
): string[] {
  return present.flatMap(([cluster, trust]) =>
    trust.proxies.state === "unread"
      ? []
      : trust.proxies.proxies
          .filter((proxy) => matches(proxy, trust))
          .map(({ namespace, pod }) => `${cluster}: ${namespace}/${pod}`),
  );
}
