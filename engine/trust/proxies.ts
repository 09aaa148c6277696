import { valueIn } from "../base/result.ts";
import { type Bundle, has } from "./bundle.ts";
import type { MeshedProxy, presentIn, PresentTrust } from "./live.ts";

type Present = ReturnType<typeof presentIn>;

/**
 * After an issuer change, a new pod may still get a certificate from the old issuer for this long, while the kubelet
 * updates the identity controller's Secret. Clocks may differ by as much.
 */
export const settling = 5 * 60 * 1000;

export function unreadProxies(present: Present): string[] {
  return present.flatMap(([, { proxies }]) => ("why" in proxies ? [proxies.why] : []));
}

/** A pod whose proxy takes longer to start carries no traffic that could break, and must not delay everybody else. */
const starting = 15 * 60 * 1000;

export function trustingNone(present: Present, anchors: Bundle, now: Date): string[] {
  return found(
    present,
    ({ trusts, createdAt, started }) =>
      (started || now.getTime() - createdAt.getTime() < starting) &&
      !trusts.some((anchor) => has(anchors, anchor)),
  );
}

/**
 * Returns proxies that may still present a certificate of the previous issuer.
 *
 * @param lifetime that the config gives certificates, in milliseconds; a cluster may have a longer one
 */
export function withOldCertificate(present: Present, now: Date, lifetime: number): string[] {
  return found(present, ({ createdAt, started }, trust) => {
    const since = trust.issuerSince.getTime() + settling;
    const until = since + Math.max(lifetime, trust.certificateLifetimeMs);
    // A proxy that has never run has no certificate yet.
    return started && createdAt.getTime() < since && now.getTime() < until;
  });
}

/** By then, all proxies have renewed their certificates. */
export function renewedBy(present: Present, lifetime: number): Date {
  return latest(present, (trust) => Math.max(lifetime, trust.certificateLifetimeMs));
}

function latest(present: Present, after: (trust: PresentTrust) => number): Date {
  const times = present.map(([, trust]) => trust.issuerSince.getTime() + settling + after(trust));
  return new Date(Math.max(...times));
}

/** Returns a clause that warns against restarting too early; "" if restarts already help. */
export function notBefore(present: Present, now: Date): string {
  const from = latest(present, () => 0);
  if (from <= now) return "";
  return ` (not before ${from.toISOString()}, since until then new pods may get a certificate from the old issuer)`;
}

function found(
  present: Present,
  matches: (proxy: MeshedProxy, trust: PresentTrust) => boolean,
): string[] {
  return present.flatMap(([cluster, trust]) =>
    (valueIn(trust.proxies) ?? [])
      .filter((proxy) => matches(proxy, trust))
      .map(({ namespace, pod }) => `${cluster}: ${namespace}/${pod}`),
  );
}
