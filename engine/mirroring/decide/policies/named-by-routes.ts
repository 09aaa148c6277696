import type { ObjectKey } from "../../../kubernetes/objects/objects.ts";
import { count, listed } from "../../../base/message.ts";
import type { Result } from "../../../base/result.ts";
import { type Decision, type Deletion, isSkip } from "../../../model/decision.ts";
import { kinds } from "../../../model/mirror.ts";
import { type RouteDecision, type Routes, sendsTo, stillSends } from "../../../model/route.ts";

export interface HeldByRoutes {
  readonly decisions: readonly Decision[];
  /** One sentence for each reason; somebody has to act before these mirrors can go. */
  readonly refusals: readonly string[];
}

/**
 * Keeps mirrors that a live HTTPRoute of this stack names, if this run leaves the route alone or couldn't list the routes.
 * `apply` waits for those that the run changes (RemovalOrder).
 */
export function heldByRoutes(
  decisions: readonly Decision[],
  source: string,
  routes: Result<Routes>,
  decided: readonly RouteDecision[],
): HeldByRoutes {
  const why = whyNamed(routes, decided);
  const held = new Map(
    decisions
      .filter((each) => each.verdict === "delete")
      .flatMap((each): [ObjectKey, string][] => {
        const sentence = why(each);
        return sentence === undefined ? [] : [[each.key, sentence]];
      }),
  );
  if (held.size === 0) return { decisions, refusals: [] };
  const reasons = Map.groupBy(held.keys(), (key) => held.get(key));
  return {
    decisions: decisions.flatMap((each): Decision[] => {
      if (isSkip(each) || !held.has(each.key)) return [each];
      if (each.verdict !== "delete") return [];
      const { takenBy, ...kept } = each;
      return [{ ...kept, verdict: "keep" }];
    }),
    refusals: [...reasons].map(
      ([reason = "", keys]) =>
        `${count(keys.length, "mirror")} of ${source} can't be deleted, because ${reason} (${listed(keys)})`,
    ),
  };
}

function whyNamed(
  routes: Result<Routes>,
  decided: readonly RouteDecision[],
): (deletion: Deletion) => string | undefined {
  if ("why" in routes)
    // A route of this stack never names another kind of mirror.
    return ({ kind }) =>
      kinds[kind].isBackend
        ? `an HTTPRoute of this stack may send requests there: ${routes.why}`
        : undefined;
  const staying = decided.flatMap((route) =>
    route.verdict === "handOver" || (route.verdict === "keep" && route.wanted === undefined)
      ? [route]
      : [],
  );
  return (deletion) => {
    const route = staying.find(({ live }) => sendsTo(live, deletion));
    if (route === undefined) return undefined;
    return `${stillSends(route.key)} and is left alone${route.verdict === "keep" ? ", because its Service has another route: delete one of the two" : ": delete it"}`;
  };
}
