import type { Keep } from "../model/decision.ts";
import { liveKind, liveMirrors } from "../model/live-mirrors.ts";
import { ownerOf } from "../model/owner.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import type { Outcome } from "./outcome.ts";

/** Returns why nothing could be decided about a part of a source's mirrors; undefined if something was. */
export function whyUndecided(outcome: Outcome, source: string, part: string): string | undefined {
  if (outcome.outcome === "invalid") return outcome.mistakes.join("; ");
  const { readings } = outcome;
  const whyUnread = (cluster: string) => {
    const reading = readings.get(cluster);
    return reading !== undefined && "why" in reading ? reading.why : undefined;
  };
  if (outcome.outcome === "sourceUnreadable")
    return whyUnread(source) ?? `cluster ${source} can't be read`;
  const { decisionsByPart, refusals } = outcome.decided;
  if (decisionsByPart.has(part)) return undefined;
  return refusals[part] ?? whyUnread(part) ?? `nothing is known of cluster ${part}`;
}

/** Returns the mirrors of such a part, which all stay as they are. */
export function undecidedMirrors(source: ClusterSnapshot, part: string): Keep[] {
  return [...liveMirrors(source, ownerOf(part))].map(([key, live]) => ({
    verdict: "keep",
    part,
    key,
    kind: liveKind(live),
    live,
    fields: [],
  }));
}
