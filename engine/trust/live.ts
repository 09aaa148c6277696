import { type Result, valueIn } from "../result.ts";
import type { Bundle } from "./bundle.ts";
import type { Certificate } from "./certificate.ts";

/** The objects in which the chart linkerd-control-plane stores trust (linkerd-behaviour.md 9.2). */
export const trustRootsName = "linkerd-identity-trust-roots";
export const trustRootsKey = "ca-bundle.crt";
export const issuerName = "linkerd-identity-issuer";

/**
 * The anchors and issuer of a cluster, read from the cluster at the start of the run. Without a trust bundle, Linkerd
 * doesn't run there, so no traffic depends on what the cluster gets. A failure's clause names the cluster and fits after
 * "because".
 */
export type LiveTrust = Result<PresentTrust | undefined>;

export interface PresentTrust {
  readonly bundle: Bundle;
  /** `tls.crt` of Secret `linkerd-identity-issuer`, leaf first; empty where there is none. */
  readonly issuer: readonly Certificate[];
  /** The latest time at which the issuer may have changed. */
  readonly issuerSince: Date;
  /** Read only during a rotation, because there may be many. */
  readonly proxies: Result<readonly MeshedProxy[]>;
}

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
  return [...live].flatMap(([name, trust]) => {
    const present = valueIn(trust);
    return present === undefined ? [] : [[name, present]];
  });
}

export function unreadableIn(live: LiveTrusts): readonly string[] {
  return [...live.values()].flatMap((trust) => ("why" in trust ? [trust.why] : []));
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
  const counted = (cluster: string, proxies: PresentTrust["proxies"]): PresentTrust["proxies"] => {
    if (isLeftOut(cluster)) return { value: [] };
    if ("why" in proxies) return proxies;
    return { value: proxies.value.filter((one) => !isLeftOut(cluster, one.namespace, one.pod)) };
  };
  const present = presentIn(live).map(([cluster, trust]): [string, LiveTrust] => [
    cluster,
    { value: { ...trust, proxies: counted(cluster, trust.proxies) } },
  ]);
  return new Map([...live, ...present]);
}

/** Clusters whose answers a run ignores: their trust counts as unknown. */
export function withoutRefused(refused: Iterable<string>, live: LiveTrusts): LiveTrusts {
  const names = new Set(refused);
  return new Map(
    [...live].map(([cluster, trust]): [string, LiveTrust] => {
      if (!names.has(cluster) || "why" in trust) return [cluster, trust];
      return [cluster, { why: `cluster ${cluster} is refused`, cause: "refused" }];
    }),
  );
}
