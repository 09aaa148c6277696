import { setTimeout as delay } from "node:timers/promises";
import type { Kubernetes } from "../../kubernetes/interface.ts";
import { KubernetesError } from "../../kubernetes/errors.ts";
import type { Resource } from "../../kubernetes/resources.ts";
import { keyOf, type ObjectMeta, type StringMap } from "../../kubernetes/objects.ts";
import type { Owner } from "../model/owner.ts";

interface OwnedObject {
  readonly metadata: ObjectMeta;
}

/** Where mirrors are written, and how those that may be touched are told from the rest. */
export interface Ground {
  readonly kubernetes: Kubernetes;
  /** Name of the source cluster. */
  readonly source: string;
  readonly owner: Owner;
  /** Of the namespaces that are created for mirrors. */
  readonly namespaceLabels: StringMap;
  /** What long work is called: `mirroring west`. */
  readonly work: string;
}

/** How often somebody else may get in between before this run gives up on an object. */
const attempts = 4;

/**
 * Creates or updates one object of ours. What was observed can be out of date by now, so every
 * update names the version it was derived from and every surprise leads to a fresh look: at an
 * object that has come to be somebody else's nothing is changed.
 *
 * @param manifest the object to send, given the live one; undefined where nothing has to change.
 * @throws KubernetesError, or an Error that names the object in the way
 */
export async function write<T extends OwnedObject>(
  ground: Ground,
  resource: Resource<T>,
  name: Pick<ObjectMeta, "name" | "namespace">,
  observed: T | undefined,
  manifest: (live: T | undefined) => T | undefined,
): Promise<T | undefined> {
  let live = observed;
  for (let attempt = 1; ; attempt++) {
    if (live !== undefined) assertOurs(ground, resource, live);
    const wanted = manifest(live);
    if (wanted === undefined) return live;
    try {
      return live === undefined
        ? await ground.kubernetes.create(resource, wanted)
        : await ground.kubernetes.replace(resource, wanted);
    } catch (error) {
      if (attempt === attempts || !isOutdated(error)) throw error;
      live = await read(ground, resource, name);
    }
  }
}

/**
 * Deletes one object of ours; one that is gone already is as good. The preconditions make the API
 * server itself refuse where the object is no longer the one that was judged.
 */
export async function remove<T extends OwnedObject>(
  ground: Ground,
  resource: Resource<T>,
  observed: T,
): Promise<void> {
  const { name, namespace } = observed.metadata;
  let live: T | undefined = observed;
  for (let attempt = 1; live !== undefined; attempt++) {
    // Given up by whoever took the labels off: from then on it is not ours to delete.
    if (!ground.owner.owns(live)) return;
    const { uid, resourceVersion } = live.metadata;
    try {
      await ground.kubernetes.remove(
        resource,
        { name, namespace },
        preconditions(uid, resourceVersion),
      );
      return;
    } catch (error) {
      if (hasKind(error, "notFound")) return;
      if (attempt === attempts || !hasKind(error, "conflict")) throw error;
      live = await read(ground, resource, { name, namespace });
    }
  }
}

/**
 * Waits until an object is gone, or for at most `patience` milliseconds.
 *
 * @returns the object, if it is still there
 */
export async function gone<T extends OwnedObject>(
  ground: Ground,
  resource: Resource<T>,
  name: Pick<ObjectMeta, "name" | "namespace">,
  patience: number,
): Promise<T | undefined> {
  const deadline = Date.now() + patience;
  for (let pause = 10; ; pause = Math.min(2 * pause, 250)) {
    const live = await read(ground, resource, name);
    if (live === undefined || Date.now() >= deadline) return live;
    await delay(pause);
  }
}

async function read<T extends OwnedObject>(
  ground: Ground,
  resource: Resource<T>,
  { name, namespace }: Pick<ObjectMeta, "name" | "namespace">,
): Promise<T | undefined> {
  try {
    return await ground.kubernetes.get(resource, { name, namespace });
  } catch (error) {
    if (hasKind(error, "notFound")) return undefined;
    throw error;
  }
}

function assertOurs<T extends OwnedObject>(ground: Ground, resource: Resource<T>, live: T): void {
  if (ground.owner.owns(live)) return;
  throw new Error(
    `the ${resource.kind} ${keyOf(live)} on ${ground.source} is not ${ground.owner.words} and was left alone: rename or delete it, or rename what is exported, and run again`,
  );
}

function preconditions(uid: string | undefined, resourceVersion: string | undefined) {
  return {
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
}

function isOutdated(error: unknown): boolean {
  return (
    hasKind(error, "conflict") || hasKind(error, "alreadyExists") || hasKind(error, "notFound")
  );
}

function hasKind(error: unknown, kind: KubernetesError["kind"]): boolean {
  return error instanceof KubernetesError && error.kind === kind;
}
