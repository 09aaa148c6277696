import { KubernetesError } from "../../kubernetes/client/errors.ts";
import type { ObjectKey, Service, StringMap } from "../../kubernetes/objects/objects.ts";
import { resources } from "../../kubernetes/objects/resources.ts";
import type { Mirror } from "../../model/mirror.ts";
import { ownerLabels, federatedPart, type Owner, ownerOf } from "../../model/owner.ts";
import { managerOf, marksOn, federatedWriter, marksHidden } from "../../model/marks.ts";
import { label } from "../../model/vocabulary.ts";
import {
  type Decision,
  type Deletion,
  isConfirmed,
  isSkip,
  isTaken,
  isWrite,
  type Skipped,
  type Wanted,
  type Write,
} from "../../model/decision.ts";
import { addressOf } from "../../model/live-mirrors.ts";
import { endpointsFields, isServing, serviceFields } from "../../model/difference.ts";
import { backendsOf, type RouteDecision, routeOwner, routesPart } from "../../model/route.ts";
import { RemovalOrder } from "./removal-order.ts";
import { attempt, type WriteFailure } from "./failures.ts";
import { releaseMirror, removeMirror, writeEndpoints, writeService } from "./objects.ts";
import { writeRoute } from "./routes.ts";
import type { Writer, WriteScope } from "./write-scope.ts";
import { messageOf, UserError } from "../../base/user-error.ts";
import { statusUpdate, type LinkStatusList } from "../../model/service-status.ts";
import { trustRootsUpdate, type TrustRootsStatus } from "../../model/trust-roots.ts";

export type Destination = Omit<WriteScope, "owner" | "adopts" | "fieldManager"> & {
  readonly adopts: (part: string) => readonly string[];
};

/**
 * Carries out the decisions of all parts together, in the order that keeps traffic up: namespaces, Services, Endpoints,
 * deletions. Clients that use a headless mirror already must not be sent to an endpoint mirror that isn't ready, so its
 * Endpoints are written after everything else; those of a new headless mirror may come first. A failure doesn't stop
 * the rest, but nothing is deleted against the order of removal.
 *
 * @param namespaces to create, each with the part that needs it
 * @param routes written once new mirrors exist and before others are deleted, so that no route names a missing one
 */
export async function apply(
  destination: Destination,
  decisions: readonly Decision[],
  namespaces: ReadonlyMap<string, string>,
  routes: readonly RouteDecision[],
): Promise<readonly WriteFailure[]> {
  const failed = new Map<ObjectKey, WriteFailure>();
  const order = new RemovalOrder(decisions);
  const taken = new Map(decisions.filter(isTaken).map((given) => [given.key, given]));
  const each = async <T extends Exclude<Decision, Skipped>>(
    changes: readonly T[],
    work: (scope: WriteScope, change: T) => Promise<void>,
  ) => {
    const failures = await attempt(changes, (change) =>
      work(scopeOf(destination, change.part, taken.get(change.key)), change),
    );
    for (const failure of failures) {
      failed.set(failure.key, failure);
      order.unchanged(failure.key);
    }
  };
  let isMarked = true;

  const made = new Map(
    [...namespaces].map(([name, part]) => [
      name,
      createNamespace(destination.kubernetes, name, namespaceLabels(part)),
    ]),
  );
  await Promise.allSettled(made.values());

  const mayGo = (deletion: Deletion) => {
    const why = order.whyNot(deletion);
    if (why !== undefined)
      throw new UserError(`mirror ${destination.source}/${deletion.key} stays, because ${why}`);
    if (!isMarked) throw new UserError(marksHidden(destination.source));
  };
  const addresses = addressesIn(decisions);
  const addressIn = (key: ObjectKey) =>
    taken.has(key) && failed.has(key) ? undefined : addresses.get(key);
  const routing = { ...scopeOf(destination, routesPart), owner: routeOwner };
  const lost: WriteFailure[] = [];
  const isInUse = ({ kind, verdict }: Write) => kind === "headless" && verdict === "update";
  // Relabeling removes a mirror from another link, so what points to it there changes first.
  const isLate = (names: readonly ObjectKey[]) => names.some((key) => taken.has(key));
  for (const late of [false, true]) {
    const writes = decisions
      .filter(isWrite)
      .filter(({ key, wanted }) => isLate([key, ...endpointMirrorsOf(wanted)]) === late);
    const confirmed = late ? [] : decisions.filter(isConfirmed);
    const replaced = writes.filter(({ verdict }) => verdict === "replace");
    const others = writes.filter(({ verdict }) => verdict !== "replace");
    const writeAll = async (scope: WriteScope, change: Wanted) => {
      await made.get(change.wanted.namespace);
      const given = taken.get(change.key);
      if (given !== undefined) mayGo(given);
      const missing = endpointMirrorsOf(change.wanted).find((key) => failed.has(key));
      if (change.verdict === "replace" && missing !== undefined)
        throw new UserError(
          `mirror ${destination.source}/${change.key} stays as it is, because the mirror ${missing} of a pod could not be written`,
        );
      const service = await writeService(scope, change, addressIn);
      addresses.set(change.key, addressOf(service));
      if (service !== undefined && !hasMark(scope, change, service)) isMarked = false;
      if (service === undefined || !isServing(serviceFields(service, change.wanted)))
        order.differs(change.key);
    };
    const writeAllEndpoints = (due: readonly Write[]) =>
      each(
        due.filter(({ key }) => !failed.has(key)),
        async (scope, change) => {
          const endpoints = await writeEndpoints(scope, change, addressIn);
          if (endpointsFields(endpoints, change.wanted, addressIn).length > 0)
            order.differs(change.key);
        },
      );
    await each([...others, ...confirmed], writeAll);
    await writeAllEndpoints(others.filter((write) => !isInUse(write)));
    // A mirror that is deleted and created again goes only once what it leads to is there.
    await each(replaced, writeAll);
    await writeAllEndpoints([...others.filter(isInUse), ...replaced]);
    const changed = routes.filter((route) => {
      if (route.verdict === "keep" || route.verdict === "handOver") return false;
      return isLate(route.verdict === "delete" ? [] : backendsOf(route.wanted)) === late;
    });
    const failures = await attempt(changed, (route) => writeRoute(routing, route, failed));
    for (const failure of failures) lost.push(failure);
    const unchanged = new Set(failures.map(({ key }) => key));
    for (const { key, live } of changed)
      if (live !== undefined && unchanged.has(key)) order.unchangedRoute(live);
  }

  for (const isHeadless of [true, false]) {
    const due = decisions
      .filter((decision) => decision.verdict === "delete")
      .filter(({ takenBy }) => takenBy === undefined)
      .filter(({ kind }) => (kind === "headless") === isHeadless)
      .filter((deletion) => !order.waitsForRoot(deletion));
    await each(due, async (scope, deletion) => {
      mayGo(deletion);
      await removeMirror(scope, deletion);
    });
  }
  const released = decisions
    .filter((decision) => decision.verdict === "handOver")
    .filter(({ mark }) => mark === "release");
  await each(released, releaseMirror);
  return [...failed.values(), ...lost];
}

/**
 * A federated Service is marked for each member, and not for the write.
 *
 * @param given a mirror of another link that this one takes over, unless another stack has marked it meanwhile
 */
function scopeOf(destination: Destination, part: string, given?: Deletion): WriteScope {
  const { names } = destination;
  const fieldManager = part === federatedPart ? federatedWriter : managerOf(names[0] ?? "");
  const adopts = destination.adopts(part);
  const scope = { ...destination, adopts, owner: ownerOf(part), fieldManager };
  if (given === undefined) return scope;
  const former = ownerOf(given.part);
  const isFreed: Owner["owns"] = (object) =>
    former.owns(object) && marksOn(object.metadata, names).others.length === 0;
  const owns: Owner["owns"] = (object) => scope.owner.owns(object) || isFreed(object);
  return { ...scope, owner: { ...scope.owner, owns } };
}

/** If the API server's answer lacks the mark that the write has set, nothing may be deleted there. */
function hasMark({ names }: WriteScope, { claim }: Wanted, { metadata }: Service) {
  const wanted = claim?.members.filter(({ stance }) => stance === "wanted");
  return wanted === undefined
    ? marksOn(metadata, names).isOurs
    : wanted.every(({ cluster }) => marksOn(metadata, names, cluster).isOurs);
}

function addressesIn(decisions: readonly Decision[]): Map<ObjectKey, string | undefined> {
  return new Map(
    decisions.flatMap((decision) =>
      isSkip(decision) ? [] : [[decision.key, addressOf(decision.live.service)]],
    ),
  );
}

function endpointMirrorsOf({ endpoints }: Mirror): ObjectKey[] {
  return (endpoints?.subsets ?? []).flatMap(({ addresses }) =>
    addresses.flatMap((address) => ("endpointMirror" in address ? address.endpointMirror : [])),
  );
}

function namespaceLabels(part: string): StringMap {
  return part === federatedPart ? { [label.mirrored]: "true" } : ownerLabels(part);
}

/** Namespaces that were created for mirrors are labelled as such and never changed or deleted (2.3). */
async function createNamespace(kubernetes: Writer, name: string, labels: StringMap): Promise<void> {
  try {
    await kubernetes.create(resources.namespaces, { metadata: { name, labels } });
  } catch (error) {
    if (!(error instanceof KubernetesError) || error.kind !== "alreadyExists") throw error;
  }
}

/**
 * Sends one patch per Link, where Linkerd sends one per Service. Only people read the status, so a failed patch doesn't
 * fail the run; the next run tries again.
 *
 * @returns notes about what could not be written
 */
export async function writeStatuses(
  kubernetes: Writer,
  statuses: readonly (LinkStatusList | TrustRootsStatus)[],
  failures: readonly WriteFailure[],
): Promise<string[]> {
  const failed = new Map(failures.map(({ key, sentence }) => [key, sentence]));
  const notes: string[] = [];
  for (const [link, { live }] of new Map(statuses.map((status) => [status.link, status]))) {
    const updates = statuses
      .filter((status) => status.link === link)
      .flatMap((status) => {
        const now = new Date();
        const update =
          status.list === "trustRoots"
            ? trustRootsUpdate(status.roots, live, now)
            : statusUpdate(status, live, failed, now);
        return update === undefined ? [] : [[status.list, update] as const];
      });
    if (updates.length === 0) continue;
    try {
      const patch = { status: Object.fromEntries(updates) };
      await kubernetes.patch(resources.links, live.metadata, patch, { subresource: "status" });
    } catch (error) {
      const why = messageOf(error);
      notes.push(`the status of Link ${link} stays as it was, because ${why}`);
    }
  }
  return notes;
}
