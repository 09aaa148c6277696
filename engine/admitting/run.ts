import { fallback } from "../kubernetes/client/errors.ts";
import type { Kubernetes } from "../kubernetes/client/interface.ts";
import { identify, movedCluster } from "../kubernetes/identity.ts";
import { managedByLabel } from "../credentials/objects.ts";
import { type Resource, resources } from "../kubernetes/objects/resources.ts";
import { omitUndefined } from "../base/omit-undefined.ts";
import { type Result, resultOf } from "../base/result.ts";
import { UserError } from "../base/user-error.ts";
import { managerOf } from "../model/marks.ts";
import { entryOf, nonEmpty } from "../model/state.ts";
import type { Clusters } from "../reading/clusters.ts";
import type { MirrorsLeft } from "../mirroring/mirrors-left.ts";
import { applyGate, openGate } from "./apply.ts";
import type { GateArgs, GateBefore, GateInputs } from "./args.ts";
import { decideGate, type GateDecision } from "./decide.ts";
import { gateOwner, isOpen, type LiveGate } from "./objects.ts";
import { opened } from "./plan.ts";
import { type Strangers, strangersOf } from "./strangers.ts";

interface Decided extends GateDecision {
  readonly identity: string;
  readonly live: LiveGate;
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

async function readStrangers(kubernetes: Kubernetes, namespace: string): Promise<Strangers> {
  const read = <T>(resource: Resource<T>, labelSelector?: string): Promise<T[] | undefined> =>
    kubernetes
      .list(resource, { namespace, ...omitUndefined({ labelSelector }) })
      .catch(fallback(undefined, "notFound", "forbidden"));
  const list = async <T>(resource: Resource<T>, labelSelector?: string): Promise<T[]> =>
    (await read(resource, labelSelector)) ?? [];
  const [servers, serverAuthorizations, httpRoutes, grpcRoutes, accounts] = await Promise.all([
    read(resources.servers),
    list(resources.serverAuthorizations),
    list(resources.gatewayHttpRoutes),
    list(resources.grpcRoutes),
    list(resources.serviceAccounts, managedByLabel),
  ]);
  return { servers, serverAuthorizations, httpRoutes, grpcRoutes, accounts };
}

/** Mirrors don't wait for access (docs/decisions/0026-closed-gateways.md). */
export const untilGiven =
  "; until a run has given access, a closed gateway answers requests for new mirrors with 403";

/** Finds out what a run has to change at a gateway, and why nothing can be said about it. Writes nothing. */
export async function checkGate(
  clusters: Clusters,
  left: Pick<MirrorsLeft, "of">,
  before: GateBefore,
  args: GateArgs,
): Promise<{ readonly inputs: GateInputs; readonly notes: readonly string[] }> {
  const names = namesOf(args, before);
  const isLast = args.phase === "take";
  const found = await resultOf(async () => {
    const decision = await decided(clusters, left, before, args);
    const warnings = isLast ? await warningsAt(clusters, decision.live, args, names) : [];
    return { ...decision, warnings };
  }, args.target);
  const revision = before.revision ?? 0;
  const [, ...formerStacks] = names;
  if ("why" in found) {
    const { identity, admitted } = before;
    const inputs = {
      ...args,
      unread: found.why,
      revision,
      ...nonEmpty("formerStacks", formerStacks),
      // Where the gateway was is known until a run has opened it there.
      ...omitUndefined({ identity, admitted, namespace: before.namespace }),
    };
    const isMistake = found.cause === "refused" && isLast;
    const failing = {
      ...inputs,
      problems: [found.why],
      due: true as const,
      revision: revision + 1,
    };
    return {
      inputs: isMistake ? failing : inputs,
      notes: [
        `who may use the closed gateway stays as it is: ${found.why}${isLast ? "" : untilGiven}`,
      ],
    };
  }
  const { admitted, identity, warnings } = found.value;
  const former = isLast ? formerNamespace(args, before) : undefined;
  const opening = former === undefined ? [] : [`open the gateway in ${former}`];
  const changes = [...found.value.changes, ...opening];
  const problems = isLast ? found.value.problems : [];
  const isRun = found.value.isDue || problems.length + opening.length > 0;
  return {
    inputs: {
      ...args,
      ...nonEmpty("admitted", admitted),
      ...nonEmpty("changes", changes),
      ...nonEmpty("problems", problems),
      ...(isRun && { due: true }),
      ...nonEmpty("formerStacks", formerStacks),
      identity,
      revision: revision + (isRun ? 1 : 0),
    },
    notes: [...changes, ...[...problems, ...warnings].map((text) => `warning: ${text}`)],
  };
}

/** Returns whether a run would write to a closed gateway. */
export async function isGateDue(
  clusters: Clusters,
  left: Pick<MirrorsLeft, "of">,
  inputs: GateInputs,
): Promise<boolean> {
  const found = await resultOf(() => decided(clusters, left, inputs, inputs), inputs.target);
  return "value" in found && found.value.isDue;
}

/**
 * Writes what this run's check has announced, which is nothing if it couldn't read the cluster.
 *
 * @returns sentences about what somebody has to fix
 */
export async function carryOutGate(
  clusters: Clusters,
  left: Pick<MirrorsLeft, "of">,
  inputs: GateInputs,
  before: Partial<GateInputs> = {},
): Promise<readonly string[]> {
  if (inputs.unread !== undefined) return inputs.problems ?? [];
  const found = await resultOf(() => decided(clusters, left, inputs, inputs), inputs.target);
  if ("why" in found) throw new UserError(found.why);
  await applyGate(await placeOf(clusters, inputs, namesOf(inputs, inputs)), found.value.plan);
  const namespace = inputs.phase === "take" ? formerNamespace(inputs, before) : undefined;
  if (namespace !== undefined) await removeGate(clusters, { ...inputs, namespace });
  return found.value.problems;
}

/** Returns where the gateway was in the last run, if it has moved (`multiclusterNamespace`). */
function formerNamespace({ namespace }: GateArgs, before: GateBefore): string | undefined {
  return before.namespace === namespace ? undefined : before.namespace;
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
    const given: GateArgs = { ...args, phase: "give" };
    const { isDue, problems } = decideGate(snapshot, live, given, [stack], () => undefined);
    const warnings = await warningsAt(clusters, live, args, [stack]);
    return { isOpen: isOpen(live), isDue, problems, warnings };
  }, args.target);
}

async function decided(
  clusters: Clusters,
  left: Pick<MirrorsLeft, "of">,
  before: GateBefore,
  args: GateArgs,
): Promise<Decided> {
  const { target, namespace } = args;
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
  return { ...decision, identity: snapshot.identity, live };
}

async function warningsAt(
  clusters: Pick<Clusters, "client">,
  live: LiveGate,
  args: Omit<GateArgs, "phase">,
  names: readonly string[],
): Promise<readonly string[]> {
  const { target, namespace } = args;
  const kubernetes = await clusters.client(target, entryOf(args, target));
  return strangersOf(live, await readStrangers(kubernetes, namespace), args, names);
}

function namesOf({ stack }: GateArgs, before: GateBefore): readonly string[] {
  return [...new Set([stack, before.stack ?? stack, ...(before.formerStacks ?? [])])];
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
