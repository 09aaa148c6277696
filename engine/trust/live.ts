import type { Bundle } from "./bundle.ts";
import type { Certificate } from "./certificate.ts";

/** The objects in which the chart linkerd-control-plane stores trust (linkerd-behaviour.md 9.2). */
export const trustRootsName = "linkerd-identity-trust-roots";
export const trustRootsKey = "ca-bundle.crt";
export const issuerName = "linkerd-identity-issuer";

/** A clause that names the cluster and fits after "because". */
export type Why = string;

/** The anchors and issuer of a cluster, read from the cluster at the start of the run. */
export type LiveTrust =
  /** Without a trust bundle, Linkerd doesn't run there, so no traffic depends on what the cluster gets. */
  { readonly state: "absent" } | { readonly state: "unreadable"; readonly why: Why } | PresentTrust;

export interface PresentTrust {
  readonly state: "present";
  /** ConfigMap `linkerd-identity-trust-roots`. */
  readonly bundle: Bundle;
  /** `tls.crt` of Secret `linkerd-identity-issuer`, leaf first; empty where there is none. */
  readonly issuer: readonly Certificate[];
  /** The latest time at which the issuer may have changed. */
  readonly issuerSince: Date;
  /** Read only during a rotation, because there may be many. */
  readonly proxies: ProxyReading;
}

export type ProxyReading =
  | { readonly state: "unread"; readonly why: Why }
  | { readonly state: "read"; readonly proxies: readonly MeshedProxy[] };

/** A meshed pod that runs or may still start. */
export interface MeshedProxy {
  readonly namespace: string;
  readonly pod: string;
  readonly createdAt: Date;
  readonly started: boolean;
  /** Anchors with which the proxy was started; empty if they are unknown. */
  readonly trusts: Bundle;
}

/** The trust of each cluster, by name, in the order of the config. */
export type LiveTrusts = ReadonlyMap<string, LiveTrust>;

export function presentIn(live: LiveTrusts): readonly (readonly [string, PresentTrust])[] {
  return [...live].flatMap(([name, trust]) => (trust.state === "present" ? [[name, trust]] : []));
}

export function unreadableIn(live: LiveTrusts): readonly Why[] {
  return [...live.values()].flatMap((trust) => (trust.state === "unreadable" ? [trust.why] : []));
}

/**
 * Removes the pods that the config ignores: `<cluster>`, `<cluster>/<namespace>` or `<cluster>/<namespace>/<pod>`.
 * Whoever may create pods can create one that looks like a proxy that was never restarted, and a rotation must not
 * wait for it.
 */
export function leavingOut(ignored: readonly string[], live: LiveTrusts): LiveTrusts {
  const names = new Set(ignored);
  const isLeftOut = (...parts: readonly string[]): boolean =>
    parts.some((_, index) => names.has(parts.slice(0, index + 1).join("/")));
  const counted = (cluster: string, proxies: ProxyReading): ProxyReading => {
    if (isLeftOut(cluster)) return { state: "read", proxies: [] };
    if (proxies.state === "unread") return proxies;
    const others = proxies.proxies.filter((one) => !isLeftOut(cluster, one.namespace, one.pod));
    return { state: "read", proxies: others };
  };
  return new Map(
    [...live].map(([cluster, trust]) => [
      cluster,
      trust.state === "present" ? { ...trust, proxies: counted(cluster, trust.proxies) } : trust,
    ]),
  );
}

/** Clusters whose answers a run ignores: their trust counts as unknown. */
export function withoutRefused(refused: Iterable<string>, live: LiveTrusts): LiveTrusts {
  const names = new Set(refused);
  return new Map(
    [...live].map(([cluster, trust]): [string, LiveTrust] => {
      if (!names.has(cluster) || trust.state === "unreadable") return [cluster, trust];
      return [cluster, { state: "unreadable", why: `cluster ${cluster} is refused` }];
    }),
  );
}
