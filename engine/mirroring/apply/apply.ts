import { KubernetesError } from "../../kubernetes/client/errors.ts";
import type { ObjectKey, StringMap } from "../../kubernetes/objects/objects.ts";
import { resources } from "../../kubernetes/objects/resources.ts";
import { ownerLabels } from "../model/metadata.ts";
import { federatedPart, ownerOf } from "../model/owner.ts";
import { label } from "../model/vocabulary.ts";
import {
  type Change,
  type Decision,
  isDeletion,
  isSkip,
  isWrite,
  type Write,
} from "../decide/decision.ts";
import { addressOf, rootOf } from "../decide/policies/ownership.ts";
import { attempt, type WriteFailure } from "./failures.ts";
import { writeEndpoints, writeService } from "./objects.ts";
import { remove, type WriteScope } from "./write-scope.ts";
import type { Writer } from "./writing-time.ts";

/** Where the mirrors of a source are written, and by whom. */
export type Destination = Omit<WriteScope, "owner">;

/**
 * Carries out the decisions of all parts together, in the order that keeps traffic up: namespaces,
 * Services, Endpoints, deletions. The Endpoints of a headless mirror lead to others: where clients
 * use it already they come after all the rest, while nobody has yet been led anywhere by a new one.
 * What fails does not stop the rest, but a pod's mirror is not deleted while the headless mirror may
 * still lead to it.
 *
 * @param namespaces to create, each with the part that needs it
 */
export async function apply(
  destination: Destination,
  decisions: readonly Decision[],
  namespaces: ReadonlyMap<string, string>,
): Promise<readonly WriteFailure[]> {
  const failed = new Map<ObjectKey, WriteFailure>();
  const each = async <T extends Change>(
    changes: readonly T[],
    work: (scope: WriteScope, change: T) => Promise<void>,
  ) => {
    const failures = await attempt(changes, (change) =>
      work({ ...destination, owner: ownerOf(change.part) }, change),
    );
    for (const failure of failures) failed.set(failure.key, failure);
  };

  const made = new Map(
    [...namespaces].map(([name, part]) => [
      name,
      createNamespace(destination.kubernetes, name, namespaceLabels(part)),
    ]),
  );
  await Promise.allSettled(made.values());

  const writes = decisions.filter(isWrite);
  const addresses = addressesIn(decisions);
  await each(writes, async (scope, change) => {
    await made.get(change.wanted.namespace);
    addresses.set(change.key, addressOf(await writeService(scope, change)));
  });

  for (const isLeading of [false, true]) {
    const due = writes.filter(
      (write) => leadsClients(write) === isLeading && !failed.has(write.key),
    );
    await each(due, (scope, change) => writeEndpoints(scope, change, (key) => addresses.get(key)));
  }

  for (const isHeadless of [true, false]) {
    const due = decisions
      .filter(isDeletion)
      .filter(({ kind }) => (kind === "headless") === isHeadless)
      .filter(({ key, live }) => !failed.has(rootOf(key, live)));
    await each(due, async (scope, { live: { service, endpoints } }) => {
      if (service !== undefined) await remove(scope, resources.services, service);
      if (endpoints !== undefined) await remove(scope, resources.endpoints, endpoints);
    });
  }
  return [...failed.values()];
}

function leadsClients({ kind, verdict }: Write): boolean {
  return kind === "headless" && verdict !== "create";
}

/** ClusterIPs of mirrors, as observed. */
function addressesIn(decisions: readonly Decision[]): Map<ObjectKey, string | undefined> {
  return new Map(
    decisions.flatMap((decision) =>
      isSkip(decision) ? [] : [[decision.key, addressOf(decision.live.service)]],
    ),
  );
}

/** A namespace made for mirrors says for which: those of one link, or federated Services. */
function namespaceLabels(part: string): StringMap {
  return part === federatedPart ? { [label.mirrored]: "true" } : ownerLabels(part);
}

/** A namespace made for mirrors is marked as such, and never changed or deleted (2.3). */
async function createNamespace(kubernetes: Writer, name: string, labels: StringMap): Promise<void> {
  try {
    await kubernetes.create(resources.namespaces, { metadata: { name, labels } });
  } catch (error) {
    if (!(error instanceof KubernetesError) || error.kind !== "alreadyExists") throw error;
  }
}
