import type { Facts, LinkFact, MirrorFact } from "../../../cli/facts/facts.ts";

/** Returns empty facts, except for those of a test. */
export function factsOf(more: Partial<Facts>): Facts {
  return {
    readAt: "2026-11-22T10:00:00Z",
    stack: "prod",
    clusters: [],
    links: [],
    mirrors: [],
    notMirrored: [],
    services: [],
    next: [],
    health: {
      version: 1,
      healthy: true,
      counts: { ok: 0, warning: 0, error: 0, skipped: 0 },
      groups: [],
    },
    ...more,
  };
}

export function link(source: string, target: string, more: Partial<LinkFact> = {}): LinkFact {
  return {
    source,
    target,
    mode: "gateway",
    mirroring: "pulumi",
    selectors: { mirror: "", discovery: "", federated: "" },
    ...more,
  };
}

/** @param mirror `shop/web-west`, which mirrors `shop/web` */
export function mirror(
  source: string,
  part: string,
  mirror: string,
  more: Partial<MirrorFact> = {},
): MirrorFact {
  return {
    source,
    part,
    mirror,
    kind: "gateway",
    verdict: "keep",
    ports: "80/TCP",
    service: mirror.replace(/-\w+$/, ""),
    line: "gateway mirror",
    ...more,
  };
}
