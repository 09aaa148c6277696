import type { Bundle } from "../../../engine/trust/bundle.ts";
import type {
  LiveTrust,
  LiveTrusts,
  MeshedProxy,
  PresentTrust,
} from "../../../engine/trust/live.ts";
import type { TrustPlan } from "../../../engine/trust/rotate.ts";
import { type Authority, authority, day, inDays, issuerUnder, now } from "./certificates.ts";

export const old = authority({ name: "old" });
export const next = authority({ name: "next" });
export const stranger = authority({ name: "stranger" });
export const oldIssuer = issuerUnder(old);
export const nextIssuer = issuerUnder(next);

export type Clusters = Readonly<Record<string, LiveTrust>>;

export const absent: LiveTrust = { value: undefined };

export function stateOf(trust: LiveTrust | undefined): "unreadable" | "absent" | "present" {
  if (trust === undefined || "why" in trust) return "unreadable";
  return trust.value === undefined ? "absent" : "present";
}

export const unreadable: LiveTrust = { why: "cluster x can't be reached", cause: "unreachable" };

interface Present {
  readonly value: PresentTrust;
}

/** Returns a cluster whose issuer is a month old. */
export function present(
  bundle: readonly Authority[],
  issuer: Authority | undefined,
  proxies: readonly MeshedProxy[] = [],
): Present {
  const value = {
    bundle: anchors(...bundle),
    issuer: issuer === undefined ? [] : [issuer.certificate],
    issuerSince: inDays(-30),
    certificateLifetimeMs: 0,
    proxies: { value: proxies },
  };
  return { value };
}

export function but({ value }: Present, other: Partial<PresentTrust>): Present {
  return { value: { ...value, ...other } };
}

export function proxy(pod: string, trusts: readonly Authority[], hoursAgo = 1): MeshedProxy {
  const createdAt = new Date(now.getTime() - (hoursAgo * day) / 24);
  return { namespace: "shop", pod, createdAt, started: true, trusts: anchors(...trusts) };
}

/** Returns a cluster whose only proxy trusts what the cluster trusts. */
export function restarted(bundle: readonly Authority[], issuer: Authority): Present {
  return present(bundle, issuer, [proxy("web-0", bundle, 20)]);
}

export const podsUnread = {
  proxies: { why: "cluster w lists no pods", cause: "refused" },
} as const;

export function anchors(...authorities: readonly Authority[]): Bundle {
  return authorities.map(({ certificate }) => certificate);
}

export function live(clusters: Clusters): LiveTrusts {
  return new Map(Object.entries(clusters));
}

/** Returns the reasons for which trust stays as it is, everywhere or in one cluster. */
export function refusedIn({ held = [], refusedClusters }: TrustPlan): readonly string[] {
  return [...held, ...refusedClusters.values()].map(nameless);
}

export function notesIn({ notes }: TrustPlan): readonly string[] {
  return notes.map(nameless);
}

export function nameless(sentence: string): string {
  return sentence.replaceAll(/ \(SHA-256 \w+\)/g, "");
}

/** Describes a plan by its stage and, for each cluster, `anchor+anchor/issuer`. */
export function inWords({ stage, clusters }: TrustPlan): readonly string[] {
  const plans = [...clusters.values()].map(
    ({ bundle, issuer }) => `${bundle.map(({ name }) => name).join("+")}/${issuer}`,
  );
  return [stage, ...plans];
}
