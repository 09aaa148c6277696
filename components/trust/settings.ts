import type { HelmValues, MeshConfig } from "../../config/mesh.ts";
import type { LiveTrusts } from "../../engine/trust/live.ts";
import { dayLong } from "../../engine/trust/proxies.ts";
import type { TrustRootArgs } from "../trust-root.ts";

/** What the trust root of a stack is made from. */
export function trustRootArgs(config: MeshConfig, live: LiveTrusts): TrustRootArgs {
  const { clusters, linkerdNamespace, trust } = config;
  const names = [...clusters].map(([cluster, { clusterDomain }]) => {
    // By convention, and checked by nobody (linkerd-behaviour.md 9.3).
    return [cluster, `identity.${linkerdNamespace}.${clusterDomain}`] as const;
  });
  const lifetimes = [...clusters.values()].map(({ values }) =>
    certificateLifetime(values["linkerd-control-plane"]),
  );
  return {
    trust,
    live,
    issuerNames: new Map(names),
    certificateLifetime: Math.max(dayLong, ...lifetimes),
  };
}

/** So long that only restarts count. */
const unknownLifetime = 3650 * dayLong;

/** How long a workload's certificate lives by the user's Helm values, in milliseconds. */
export function certificateLifetime(controlPlane: HelmValues = {}): number {
  const text = ["identity", "issuer", "issuanceLifetime"].reduce<unknown>(valueAt, controlPlane);
  if (text === undefined || text === null) return dayLong;
  return typeof text === "string" ? (goDuration(text) ?? unknownLifetime) : unknownLifetime;
}

function valueAt(map: unknown, key: string): unknown {
  if (typeof map !== "object" || map === null) return undefined;
  return new Map<string, unknown>(Object.entries(map)).get(key);
}

const units: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** Go's notation, as `24h0m0s`, in milliseconds; undefined for anything else. */
function goDuration(text: string): number | undefined {
  if (!/^(\d+(\.\d+)?(h|ms|m|s))+$/.test(text)) return undefined;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s)/g)];
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * (units[unit ?? ""] ?? 0), 0);
}
