import { type Result, valueIn } from "../base/result.ts";
import type { Bundle } from "./bundle.ts";
import { anchorsBehind, type Certificate } from "./certificate.ts";
import type { LifetimeRecord } from "./lifetime.ts";

/** The chart linkerd-control-plane stores trust under these names (linkerd-behaviour.md 9.2). */
export const trustRootsName = "linkerd-identity-trust-roots";
export const trustRootsKey = "ca-bundle.crt";
export const issuerName = "linkerd-identity-issuer";

/**
 * A run reads it first. Without a trust bundle, Linkerd doesn't run there, so no traffic depends on what the cluster
 * gets. A failure's clause names the cluster and fits after "because".
 */
export type LiveTrust = Result<PresentTrust | undefined>;

export interface PresentTrust {
  readonly bundle: Bundle;
  /** It holds the chain, leaf first; empty if there is none. */
  readonly issuer: readonly Certificate[];
  /** The issuer has not changed since then. */
  readonly issuerSince: Date;
  /** The longest lifetime of certificates that the cluster shows, in milliseconds; 0 if it shows none. */
  readonly certificateLifetimeMs: number;
  /** The issuer's Secret says it. */
  readonly recordedLifetime?: LifetimeRecord;
  /** Read only during a rotation, because there may be many. */
  readonly proxies: Result<readonly MeshedProxy[]>;
}

export interface MeshedProxy {
  readonly namespace: string;
  readonly pod: string;
  readonly createdAt: Date;
  readonly started: boolean;
  /** The proxy was started with these anchors; empty if they are unknown. */
  readonly trusts: Bundle;
}

/** Clusters have the order of the config. */
export type LiveTrusts = ReadonlyMap<string, LiveTrust>;

export function presentIn(live: LiveTrusts): readonly (readonly [string, PresentTrust])[] {
  return [...live].flatMap(([name, trust]) => {
    const present = valueIn(trust);
    return present === undefined ? [] : [[name, present]];
  });
}

export function unreadableIn(live: LiveTrusts): readonly string[] {
  return [...live.values()].flatMap((trust) => ("why" in trust ? [trust.why] : []));
}

/**
 * Removes pods that the config ignores: `<cluster>`, `<cluster>/<namespace>` or `<cluster>/<namespace>/<pod>`. Whoever
 * may create pods can imitate a proxy that was never restarted, and a rotation must not wait for it.
 */
export function leavingOut(ignored: readonly string[], live: LiveTrusts): LiveTrusts {
  const counted = (cluster: string, proxies: PresentTrust["proxies"]): PresentTrust["proxies"] => {
    if (isLeftOut(ignored, cluster)) return { value: [] };
    if ("why" in proxies) return proxies;
    const isCounted = ({ namespace, pod }: MeshedProxy) =>
      !isLeftOut(ignored, cluster, namespace, pod);
    return { value: proxies.value.filter(isCounted) };
  };
  const present = presentIn(live).map(([cluster, trust]): [string, LiveTrust] => [
    cluster,
    { value: { ...trust, proxies: counted(cluster, trust.proxies) } },
  ]);
  return new Map([...live, ...present]);
}

/** All certificates of a cluster expire with its issuer. Under an anchor that has expired, Linkerd issues no more. */
export function hasExpired({ issuer, bundle }: PresentTrust, now: Date): boolean {
  const [own] = issuer;
  const behind = anchorsBehind(issuer, bundle);
  return (
    own !== undefined &&
    behind.length > 0 &&
    (own.notAfter <= now || behind.every(({ notAfter }) => notAfter <= now))
  );
}

/** @param parts of `<cluster>/<namespace>/<pod>` */
export function isLeftOut(ignored: readonly string[], ...parts: readonly string[]): boolean {
  return parts.some((_, index) => ignored.includes(parts.slice(0, index + 1).join("/")));
}

/** The trust of a refused cluster counts as unknown. */
export function withoutRefused(refused: Iterable<string>, live: LiveTrusts): LiveTrusts {
  const names = new Set(refused);
  return new Map(
    [...live].map(([cluster, trust]): [string, LiveTrust] => {
      if (!names.has(cluster) || "why" in trust) return [cluster, trust];
      return [cluster, { why: `cluster ${cluster} is refused`, cause: "refused" }];
    }),
  );
}
