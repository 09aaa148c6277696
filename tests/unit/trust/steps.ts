import { equal } from "node:assert/strict";
import type { LiveTrust } from "../../../engine/trust/live.ts";
import { rotate } from "../../../engine/trust/rotate.ts";
import type { Rotation } from "../../../engine/trust/rotation.ts";
import { now } from "./certificates.ts";
import {
  absent,
  but,
  type Clusters,
  inWords,
  live,
  next,
  nextIssuer,
  old,
  oldIssuer,
  podsUnread,
  present,
  proxy,
  stranger,
  unreadable,
} from "./live.ts";

export type Decide = (clusters: Clusters) => ReturnType<typeof rotate>;

export const first = (clusters: Clusters, more: Partial<Rotation> = {}) =>
  rotate({ wanted: old.certificate, now, live: live(clusters), ...more });
export const second = (clusters: Clusters, more: Partial<Rotation> = {}) =>
  first(clusters, { wanted: next.certificate, previous: old.certificate, ...more });
export const removing: Decide = (clusters) => first(clusters, { unknown: "remove" });

/**
 * Parses a cluster: `next+old/old` trusts the anchors `next` and `old` and has an issuer under `old`, and its proxy was
 * restarted with these anchors, unless a word after it says otherwise.
 */
function clusterOf(words: string): LiveTrust {
  if (words === "absent") return absent;
  if (words === "away") return unreadable;
  const [trust = "", word] = words.split(" ");
  const [bundle = "", by] = trust.split("/");
  const trusted = bundle.split("+").map((name) => ({ old, next, stranger })[name] ?? stranger);
  const issuer = by === "none" ? undefined : by === "next" ? nextIssuer : oldIssuer;
  const proxies = [proxy("web-0", word === "stale" ? [old] : trusted, 20)];
  const cluster = present(trusted, issuer, proxies);
  if (word === "reissued") return but(cluster, { issuerSince: now });
  return word === "unread" ? podsUnread(trusted, oldIssuer) : cluster;
}

/** One test per paragraph: its title, the clusters, and after `! ` the stage and each cluster's `bundle/issuer`. */
export function testSteps(decide: Decide, text: string): void {
  for (const paragraph of text.trim().split(/\n\n/)) {
    const [title = "", clusters = "", expected] = paragraph.split("\n");
    it(title.replace("# ", ""), () => {
      const entries = clusters.split(", ").map((each, nth) => [`${nth}`, clusterOf(each)] as const);
      const [stage = "", ...plans] = inWords(decide(Object.fromEntries(entries)));
      equal(`! ${stage}: ${plans.join(", ")}`, expected);
    });
  }
}
