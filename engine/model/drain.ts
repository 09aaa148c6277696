import { firstOf } from "../base/message.ts";
import type { ObjectKey } from "../kubernetes/objects/objects.ts";
import { lossText, type Remains } from "./loss.ts";

/** A Service or federated Service from which a drain takes a cluster, or would: never its last backend. */
export interface Drain extends Remains {
  readonly key: ObjectKey;
}

/** The HTTPRoutes of a source that a drain doesn't change, whatever the config wants. */
export interface StillSending {
  /** HTTPRoutes of this stack that stay as they are. */
  readonly own: readonly ObjectKey[];
  /** HTTPRoutes that this stack never changes. */
  readonly foreign: readonly ObjectKey[];
  /** Why HTTPRoutes can't be read. */
  readonly unread?: string | undefined;
}

/** Says the same as `linkerd-clusters whatif --lose` does for these clusters. */
export function drainNotes(
  drained: readonly string[],
  drains: readonly Drain[],
  { own, foreign, unread }: StillSending,
): string[] {
  if (drained.length === 0) return [];
  const counts = (["unavailable", "degraded"] as const).map(
    (state) => `${drains.filter((each) => each.state === state).length} ${state}`,
  );
  const drain = `drain of ${drained.join(", ")}`;
  const still = [
    ...own.map((key) => `${drain}: ${sends(key)}`),
    ...foreign.map((key) => `${drain}: ${sends(key)}, which isn't this stack's`),
    ...(unread === undefined ? [] : [`${drain}: ${unknown(unread)}`]),
  ];
  if (drains.length === 0)
    return still.length > 0
      ? firstOf(still, mostNamed)
      : [`${drain}: no HTTPRoute and no federated Service of this stack sends requests there`];
  const lines = drains.map((each) => `${each.key}: ${lossText(each)}`);
  return [`${drain}: ${counts.join(", ")}`, ...firstOf([...still, ...lines], mostNamed)];
}

const mostNamed = 20;

function sends(route: ObjectKey): string {
  return `requests still go there by HTTPRoute ${route}`;
}

function unknown(why: string): string {
  return `whether HTTPRoutes send requests there is unknown, because ${why}`;
}

/** Says why a cluster stays although it is drained. */
export function drainRefusals(
  drained: readonly string[],
  drains: readonly Drain[],
  { own, unread }: StillSending,
): string[] {
  if (drained.length === 0) return [];
  const drain = `${drained.join(", ")} can't be drained`;
  return [
    ...drains
      .filter(({ state }) => state === "unavailable")
      .map(
        (each) =>
          `${drain} for ${each.key}, which would be ${lossText(each)}: requests still go there until another cluster serves it`,
      ),
    ...own.map((key) => `${drain}: ${sends(key)}, which this run leaves alone`),
    ...(unread === undefined ? [] : [`${drain}: ${unknown(unread)}`]),
  ];
}

/** A source that can't be read may still send requests to clusters that the last run didn't drain yet. */
export function undrained(
  source: string,
  drained: readonly string[] = [],
  before: readonly string[] = [],
): string | undefined {
  const begun = drained.filter((name) => name !== source && !before.includes(name));
  return begun.length === 0
    ? undefined
    : `${begun.join(", ")} can't be drained yet: what ${source} sends there is unknown until it can be read`;
}
