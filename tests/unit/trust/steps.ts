import { deepEqual } from "node:assert/strict";
import type { LiveTrust } from "../../../engine/trust/live.ts";
import { rotate, type TrustPlan } from "../../../engine/trust/rotate.ts";
import type { Rotation } from "../../../engine/trust/rotation.ts";
import { type Authority, inDays, issuerUnder, now } from "./certificates.ts";
import {
  absent,
  but,
  type Clusters,
  inWords,
  live,
  next,
  nextIssuer,
  notesIn,
  old,
  oldIssuer,
  podsUnread,
  present,
  proxy,
  refusedIn,
  stranger,
  unreadable,
} from "./live.ts";

/** Decides with the first generation, whose anchor is `old`. */
export const first = (clusters: Clusters, more: Partial<Rotation> = {}) =>
  rotate({ wanted: old.certificate, now, live: live(clusters), ...more });
/** Decides with the second one, in a rotation from `old` to `next`. */
export const second = (clusters: Clusters, more: Partial<Rotation> = {}) =>
  first(clusters, { wanted: next.certificate, previous: old.certificate, ...more });

const anchorsByName = new Map<string, Authority>(Object.entries({ old, next, stranger }));
const issuersByName = new Map(
  Object.entries({ old: oldIssuer, next: nextIssuer, stranger: issuerUnder(stranger) }),
);

/** Parses `next+old/old`: the trusted anchors, and an issuer under `old`. */
export function trustIn(words: string) {
  const [names = "", by = ""] = words.split("/");
  return {
    bundle: names.split("+").flatMap((name) => anchorsByName.get(name) ?? []),
    issuer: issuersByName.get(by),
    signer: anchorsByName.get(by) ?? stranger,
  };
}

/** Parses a cluster whose proxy was restarted with the trusted anchors, unless a word after them says otherwise. */
export function clusterOf(words: string): LiveTrust {
  if (words === "absent") return absent;
  if (words === "away") return unreadable;
  const [trust = "", word] = words.split(" ");
  const { bundle, issuer } = trustIn(trust);
  const cluster = present(bundle, issuer, [proxy("web-0", word === "stale" ? [old] : bundle, 20)]);
  if (word === "reissued") return but(cluster, { issuerSince: now });
  if (word === "settled") return but(cluster, { issuerSince: inDays(-5 / (24 * 60)) });
  return word === "unread" ? but(cluster, podsUnread) : cluster;
}

/**
 * Defines one test per paragraph: its title; the clusters w, e and n, if need be after a config and ` | `; after `! `
 * the stage with each cluster's `bundle/issuer`, then the reasons for which clusters get nothing; and perhaps after
 * `> ` the notes. A line that ends with `…` may go on.
 */
export function testSteps(
  decide: (clusters: Clusters, config: string) => TrustPlan,
  text: string,
): void {
  for (const paragraph of text.trim().split(/\n\n/)) {
    const [title = "", given = "", ...expected] = paragraph.split("\n");
    const [clusters = "", config = ""] = given.split(" | ").toReversed();
    it(title.replace("# ", ""), () => {
      const entries = clusters.split(", ").map((words, nth) => ["wen"[nth], clusterOf(words)]);
      const plan = decide(Object.fromEntries(entries) as Clusters, config);
      const [stage = "", ...plans] = inWords(plan);
      const decided = [`${stage}: ${plans.join(", ")}`, ...refusedIn(plan)];
      const hasNotes = expected.some((line) => line.startsWith("> "));
      const found = [
        ...decided.map((line) => `! ${line}`),
        ...(hasNotes ? notesIn(plan) : []).map((line) => `> ${line}`),
      ];
      deepEqual(
        found.map((line, nth) => {
          const [start = "", end] = (expected[nth] ?? "").split("…");
          return end === "" && line.startsWith(start) ? `${start}…` : line;
        }),
        expected,
      );
    });
  }
}
