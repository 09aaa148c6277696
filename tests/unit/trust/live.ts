import type { Bundle } from "../../../engine/trust/bundle.ts";
import type { Certificate } from "../../../engine/trust/certificate.ts";
import type {
  LiveTrust,
  LiveTrusts,
  PresentTrust,
  MeshedProxy,
} from "../../../engine/trust/live.ts";
import type { TrustDecision, TrustPlan } from "../../../engine/trust/rotate.ts";
import { type Authority, day, now } from "./certificates.ts";

export const absent: LiveTrust = { state: "absent" };

export function unreadable(why = "cluster x can't be reached"): LiveTrust {
  return { state: "unreadable", why };
}

/** A cluster whose issuer is a month old, with the proxies that are given. */
export function present(
  bundle: readonly Authority[],
  issuer: Authority | undefined,
  proxies: PresentTrust["proxies"] | readonly MeshedProxy[] = [],
): PresentTrust {
  return {
    state: "present",
    bundle: anchors(...bundle),
    issuer: issuer === undefined ? [] : [issuer.certificate],
    issuerSince: new Date(now.getTime() - 30 * day),
    proxies: "state" in proxies ? proxies : { state: "read", proxies },
  };
}

/** A pod of namespace shop, made an hour ago unless said otherwise. */
export function proxy(pod: string, trusts: readonly Authority[], hoursAgo = 1): MeshedProxy {
  const createdAt = new Date(now.getTime() - (hoursAgo * day) / 24);
  return { namespace: "shop", pod, createdAt, started: true, trusts: anchors(...trusts) };
}

export function anchors(...authorities: readonly Authority[]): Bundle {
  return authorities.map(({ certificate }) => certificate);
}

export function live(clusters: Readonly<Record<string, LiveTrust>>): LiveTrusts {
  return new Map(Object.entries(clusters));
}

export function planIn(decision: TrustDecision): TrustPlan {
  if ("refused" in decision) throw new Error(decision.refused.join("\n"));
  return decision;
}

export function refusedIn(decision: TrustDecision): readonly string[] {
  return "refused" in decision ? decision.refused : [];
}

/** A plan as one can read it: the stage, and by cluster its anchors and issuer in words. */
export function inWords(
  decision: TrustDecision,
  names: ReadonlyMap<Certificate, string>,
): readonly [stage: string, clusters: Readonly<Record<string, string>>] {
  const { stage, clusters } = planIn(decision);
  const words = [...clusters].map(([cluster, { bundle, issuer }]) => {
    const known = bundle.map((anchor) => names.get(anchor) ?? "a stranger").join("+");
    return [cluster, `trusts ${known}, issues ${issuer}`] as const;
  });
  return [stage, Object.fromEntries(words)];
}
