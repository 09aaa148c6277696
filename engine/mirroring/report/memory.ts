import { valueIn } from "../../base/result.ts";
import { rivalsAfter } from "../decide/other-writers.ts";
import { type Decision, isSent, isSkip } from "../../model/decision.ts";
import { isPending } from "../../model/verdicts.ts";
import { managerOf, wholeMarks } from "../../model/marks.ts";
import type { TargetObservation } from "../../model/observation.ts";
import {
  type Before,
  type Memory,
  type MirrorsArgs,
  nonEmpty,
  type Planned,
  stacksNow,
} from "../../model/state.ts";
import type { PlannedOutcome } from "./outcome.ts";

export function memoryOf(before: Before, args: MirrorsArgs, outcome: PlannedOutcome): Memory {
  const { links, readings, removed, decided } = outcome;
  const identities = Object.fromEntries(
    [...readings].flatMap(([name, reading]) => {
      const uid = "value" in reading ? reading.value.identity : before.identities?.[name];
      return uid === undefined ? [] : [[name, uid] as const];
    }),
  );
  const gateways = links.flatMap(({ link: { target: name }, target }) => {
    // While a target can't be read, what was known about it still counts.
    const gateway = "why" in target ? before.gateways?.[name] : knownGateway(target.value);
    return gateway === undefined ? [] : [[name, gateway] as const];
  });
  const statefulSets = links.flatMap(({ link: { target } }) => {
    const sets = decided.statefulSets[target] ?? before.statefulSets?.[target] ?? {};
    return Object.keys(sets).length === 0 ? [] : [[target, sets] as const];
  });
  // An update that decides again has to know each of them; the next run forgets those of which no mark is left.
  const staying = removed.map(({ link }) => link);
  return {
    identities,
    ...nonEmpty("gateways", Object.fromEntries(gateways)),
    ...nonEmpty("statefulSets", Object.fromEntries(statefulSets)),
    ...(staying.length > 0 && { removedLinks: staying }),
    ...nonEmpty("failedOver", decided.failover.services),
    ...nonEmpty("rivals", rivalsAfter(decided.decisions, before.rivals)),
    ...formerStacks(before, args, outcome),
  };
}

function knownGateway({ gateway, gatewayPending }: TargetObservation) {
  const found = gatewayPending ? undefined : valueIn(gateway)?.gateway;
  if (found === undefined) return undefined;
  const { addresses, port, identity } = found;
  return { addresses: addresses.join(", "), port, identity };
}

/**
 * A renamed stack recognizes marks under its former name until a run has renewed all of them. If that run fails, the
 * previous inputs stay, and with them the name.
 */
export function formerStacks(
  before: Before,
  args: MirrorsArgs,
  outcome?: PlannedOutcome,
): Pick<Planned, "formerStacks" | "renewedStacks"> {
  const { source, decided } = outcome ?? {};
  const renewed = new Set([
    ...(decided?.decisions ?? []).flatMap((each) =>
      isSent(each) && !isSkip(each) && !hasUnknownMembers(each) ? [each.live.service] : [],
    ),
    ...(decided?.failover.routes ?? []).filter(isPending).map(({ live }) => live),
  ]);
  const objects = [
    ...(source?.services.values() ?? []),
    ...(valueIn(outcome?.routes)?.httpRoutes ?? []),
  ];
  const marks = new Set(
    objects.flatMap((each) => (renewed.has(each) ? [] : wholeMarks(each.metadata))),
  );
  const former = stacksNow(before, args).filter((name) => name !== args.stack);
  if (former.length === 0) return {};
  const renewedStacks = former.filter(
    (name) => source !== undefined && !marks.has(managerOf(name)),
  );
  return { formerStacks: former, ...(renewedStacks.length > 0 && { renewedStacks }) };
}

function hasUnknownMembers(decision: Decision): boolean {
  return (
    !isSkip(decision) && decision.claim?.members.some(({ stance }) => stance === "unknown") === true
  );
}
