import { firstOf } from "../base/message.ts";
import type { ObjectKey } from "../kubernetes/objects/objects.ts";
import { lossText, type Remains } from "./loss.ts";

/** A Service or federated Service from which a drain takes a cluster, or would: never its last backend. */
export interface Drain extends Remains {
  readonly key: ObjectKey;
}

/** Says the same as `linkerd-clusters whatif --lose` does for these clusters. */
export function drainNotes(drained: readonly string[], drains: readonly Drain[]): string[] {
  if (drained.length === 0) return [];
  const counts = (["unavailable", "degraded"] as const).map(
    (state) => `${drains.filter((each) => each.state === state).length} ${state}`,
  );
  const lines = drains.map((each) => `${each.key}: ${lossText(each)}`);
  const drain = `drain of ${drained.join(", ")}`;
  return drains.length === 0
    ? [`${drain}: no HTTPRoute and no federated Service sends requests there`]
    : [`${drain}: ${counts.join(", ")}`, ...firstOf(lines, mostNamed)];
}

const mostNamed = 20;

/** Says why a cluster stays although it is drained. */
export function drainRefusals(drained: readonly string[], drains: readonly Drain[]): string[] {
  return drains
    .filter(({ state }) => state === "unavailable")
    .map(
      (each) =>
        `${drained.join(", ")} can't be drained for ${each.key}, which would be ${lossText(each)}: requests still go there until another cluster serves it`,
    );
}
