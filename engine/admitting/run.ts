import { fallback } from "../kubernetes/client/errors.ts";
import type { Kubernetes } from "../kubernetes/client/interface.ts";
import { identify, movedCluster } from "../kubernetes/identity.ts";
import { resources } from "../kubernetes/objects/resources.ts";
import { omitUndefined } from "../base/omit-undefined.ts";
import { type Result, resultOf } from "../base/result.ts";
import { UserError } from "../base/user-error.ts";
import { managerOf } from "../model/marks.ts";
import { entryOf, nonEmpty } from "../model/state.ts";
import type { Clusters } from "../reading/clusters.ts";
import type { MirrorsLeft } from "../mirroring/mirrors-left.ts";
import { applyGate, openGate } from "./apply.ts";
import type { GateArgs, GateBefore, GateInputs, Phase } from "./args.ts";
import { decideGate, type GateDecision } from "./decide.ts";
import { gateOwner, type LiveGate } from "./objects.ts";
import { opened } from "./plan.ts";

interface Decided extends GateDecision {
  readonly identity: string;
}

/** Reads the gateway's policies. Linkerd's kinds are served together, so if only some are, a list is incomplete. */
export async function readGate(kubernetes: Kubernetes, namespace: string): Promise<LiveGate> {
  const none = fallback(undefined, "notFound");
  const [routes, policies, authentications] = await Promise.all([
    kubernetes.list(resources.httpRoutes, { namespace }).catch(none),
    kubernetes.list(resources.authorizationPolicies, { namespace }).catch(none),
    kubernetes.list(resources.meshTlsAuthentications, { namespace }).catch(none),
  ]);
  if (routes !== undefined && policies !== undefined && authentications !== undefined)
    return { routes, policies, authentications };
  if ((routes ?? policies ?? authentications) !== undefined)
    throw new UserError(
      `the gateway's policies in ${namespace} can't all be listed, because the API server answers 404 for some of their kinds: check Linkerd's CRDs, and run again`,
    );
  return { routes: [], policies: [], authentications: [] };
}

/** Finds out what a run has to change at a gateway, and why nothing can be said about it. Writes nothing. */
export async function checkGate(
  clusters: Clusters,
  left: Pick<MirrorsLeft, "of">,
  before: GateBefore,
  args: GateArgs,
): Promise<{ readonly inputs: GateInputs; readonly notes: readonly string[] }> {
  const found = await decided(clusters, left, before, args);
  const revision = before.revision ?? 0;
  const [, formerStack] = namesOf(args, before);
  if ("why" in found) {
    const { identity, admitted } = before;
    const inputs = {
      ...args,
      unread: found.why,
      revision,
      ...omitUndefined({ identity, admitted, formerStack }),
    };
    const isMistake = found.cause === "refused" && args.phase === "take";
    const failing = {
      ...inputs,
      problems: [found.why],
      due: true as const,
      revision: revision + 1,
    };
    return {
      inputs: isMistake ? failing : inputs,
      notes: [`who may use the closed gateway stays as it is: ${found.why}`],
    };
  }
  const { admitted, changes, problems, warnings, identity, isDue } = found.value;
  const isRun = isDue || problems.length > 0;
  return {
    inputs: {
      ...args,
      ...nonEmpty("admitted", admitted),
      ...nonEmpty("changes", changes),
      ...nonEmpty("problems", problems),
      ...(isRun && { due: true }),
      ...omitUndefined({ formerStack }),
      identity,
      revision: revision + (isRun ? 1 : 0),
    },
    notes: [...changes, ...[...problems, ...warnings].map((text) => `warning: ${text}`)],
  };
}

/** @returns sentences about what somebody has to fix */
export async function carryOutGate(
  clusters: Clusters,
  left: Pick<MirrorsLeft, "of">,
  inputs: GateInputs,
): Promise<readonly string[]> {
  const found = await decided(clusters, left, inputs, inputs);
  if ("why" in found)
    return inputs.unread === undefined || found.cause === "refused" ? [found.why] : [];
  await applyGate(await placeOf(clusters, inputs, namesOf(inputs, inputs)), found.value.plan);
  return found.value.problems;
}

/** Opens the gateway again, as Linkerd's chart does. */
export async function removeGate(clusters: Clusters, inputs: GateInputs): Promise<void> {
  const { target, namespace } = inputs;
  const { context, uid } = entryOf(inputs, target);
  const place = await placeOf(clusters, inputs, namesOf(inputs, inputs));
  const identity = await identify(place.kubernetes);
  const moved = movedCluster({ cluster: target, context }, identity, uid ?? inputs.identity);
  if (moved !== undefined) throw new UserError(moved);
  const live = await readGate(place.kubernetes, namespace);
  await openGate(place, opened(live, place.names));
}

export interface GateHealth {
  readonly isOpen: boolean;
  /** Policies are missing, or differ from what they should be. */
  readonly isDue: boolean;
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** Finds out whether a gateway is as closed as it should be. What a run would take is not known without its mirrors. */
export function observeGate(
  clusters: Pick<Clusters, "snapshot" | "client">,
  args: Omit<GateArgs, "phase">,
): Promise<Result<GateHealth>> {
  return resultOf(async () => {
    const { target, namespace, stack } = args;
    const entry = entryOf(args, target);
    const snapshot = await clusters.snapshot(target, entry, "services");
    const live = await readGate(await clusters.client(target, entry), namespace);
    const decide = (phase: Phase) =>
      decideGate(snapshot, live, { ...args, phase }, [stack], () => undefined);
    const [{ isDue }, { plan, problems, warnings }] = [decide("give"), decide("take")];
    return { isOpen: plan.chart !== undefined, isDue, problems, warnings };
  }, args.target);
}

function decided(
  clusters: Clusters,
  left: Pick<MirrorsLeft, "of">,
  before: GateBefore,
  args: GateArgs,
): Promise<Result<Decided>> {
  const { target, namespace } = args;
  return resultOf(async () => {
    if (args.refused !== undefined) throw new UserError(args.refused);
    const entry = entryOf(args, target);
    const snapshot = await clusters.snapshot(target, entry, "services");
    const { context } = entry;
    const known = entry.uid ?? before.identity;
    const moved = movedCluster({ cluster: target, context }, snapshot.identity, known);
    if (moved !== undefined) throw new UserError(moved);
    const live = await readGate(await clusters.client(target, entry), namespace);
    const leftIn = (source: string) => left.of(source, target);
    const decision = decideGate(snapshot, live, args, namesOf(args, before), leftIn);
    return { ...decision, identity: snapshot.identity };
  }, target);
}

function namesOf({ stack }: GateArgs, before: GateBefore): readonly string[] {
  const former = before.stack === stack ? before.formerStack : before.stack;
  return [...new Set([stack, former ?? stack])];
}

async function placeOf(clusters: Clusters, args: GateArgs, names: readonly string[]) {
  const { target, namespace, stack } = args;
  const kubernetes = await clusters.client(target, entryOf(args, target));
  return {
    kubernetes,
    source: target,
    namespace,
    names,
    adopts: [],
    fieldManager: managerOf(stack),
    time: clusters.time,
    owner: gateOwner,
  };
}
