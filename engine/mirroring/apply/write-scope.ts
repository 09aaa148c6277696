import { KubernetesError } from "../../kubernetes/client/errors.ts";
import type { Kubernetes } from "../../kubernetes/client/interface.ts";
import { keyOf, type ObjectMeta, type Service } from "../../kubernetes/objects/objects.ts";
import { omitUndefined } from "../../base/omit-undefined.ts";
import type { Resource } from "../../kubernetes/objects/resources.ts";
import { poll, type Time } from "../../kubernetes/client/retry.ts";
import { anothersMirror, marksOn } from "../../model/marks.ts";
import { federated, type Owner } from "../../model/owner.ts";
import { UserError } from "../../base/user-error.ts";

export type Writer = Pick<Kubernetes, "find" | "create" | "replace" | "patch" | "remove">;

type OwnedObject = Pick<Service, "metadata">;

export interface WriteScope {
  readonly kubernetes: Writer;
  readonly source: string;
  /** This stack has marked objects under these names, the current one first. */
  readonly names: readonly string[];
  /** What this stack wants may be marked under these names too, and is taken over. */
  readonly adopts: readonly string[];
  readonly fieldManager: string;
  readonly time: Pick<Time, "now" | "sleep">;
  readonly owner: Owner;
}

const mostAttempts = 4;

/**
 * Creates or updates one object of this stack. The observed object may be outdated, so each update names the version it
 * was derived from, and after a conflict the object is read and judged again from scratch, including whose it is.
 *
 * @param manifest returns the object to send, given the live one; undefined if nothing has to change. It throws if the
 * live one is somebody else's.
 * @throws KubernetesError, or an Error that names the object in the way
 */
export async function write<T extends OwnedObject>(
  scope: WriteScope,
  resource: Resource<T>,
  name: Pick<ObjectMeta, "name" | "namespace">,
  observed: T | undefined,
  manifest: (live: T | undefined) => T | undefined,
): Promise<T | undefined> {
  const { kubernetes, fieldManager } = scope;
  // Lists leave out fields, and an update must send back the fields that it doesn't change.
  let live = observed && (await kubernetes.find(resource, name));
  for (let attempt = 1; ; attempt++) {
    const wanted = manifest(live);
    if (wanted === undefined) return live;
    try {
      return live === undefined
        ? await kubernetes.create(resource, wanted, { fieldManager })
        : await kubernetes.replace(resource, wanted, { fieldManager });
    } catch (error) {
      if (attempt === mostAttempts || !hasKind(error, "conflict", "alreadyExists", "notFound"))
        throw error;
      live = await kubernetes.find(resource, name);
    }
  }
}

/**
 * Deletes one object of this stack, if it still exists. Preconditions make the API server refuse the deletion if the
 * object has changed since it was judged; then it is judged again. Another object of the same name is left alone,
 * because nothing was decided about it.
 *
 * @param mayGo judges an object that others have written to meanwhile
 * @returns whether it is gone
 */
export async function remove<T extends OwnedObject>(
  { kubernetes, owner, source }: WriteScope,
  resource: Resource<T>,
  observed: T,
  mayGo: (live: T) => boolean,
): Promise<boolean> {
  const { name, namespace, uid } = observed.metadata;
  let live: T | undefined = observed;
  for (let attempt = 1; live !== undefined; attempt++) {
    // Whoever removed the labels has taken the object over, so it is not ours to delete.
    if (!owner.owns(live) || !mayGo(live)) return false;
    if (live.metadata.uid !== uid)
      throw new UserError(
        `the ${resource.kind} ${namespace}/${name} on ${source} was recreated during this run and is left alone: run again`,
      );
    const { resourceVersion } = live.metadata;
    try {
      await kubernetes.remove(
        resource,
        { name, namespace },
        omitUndefined({ uid, resourceVersion }),
      );
      return true;
    } catch (error) {
      // Any other 404 comes from a server that doesn't know the object, such as a proxy.
      if (error instanceof KubernetesError && error.absent === name) return true;
      if (attempt === mostAttempts || !hasKind(error, "conflict")) throw error;
      live = await kubernetes.find(resource, { name, namespace });
    }
  }
  return true;
}

/** @returns the object, if it is still there after five seconds */
export function waitUntilDeleted<T extends OwnedObject>(
  { kubernetes, time }: WriteScope,
  resource: Resource<T>,
  name: Pick<ObjectMeta, "name" | "namespace">,
): Promise<T | undefined> {
  return poll(
    () => kubernetes.find(resource, name),
    (live) => live === undefined,
    { within: 5_000, every: 200, time },
  );
}

/** @throws UserError that names an object which is not this stack's to write, by its labels or by others' marks */
export function assertOurs<T extends OwnedObject>(
  { owner, source, names, adopts }: WriteScope,
  resource: Resource<T>,
  live: T,
): void {
  if (owner.owns(live)) {
    const { isOurs, others } = marksOn(live.metadata, [...names, ...adopts]);
    if (owner === federated || resource.kind !== "Service" || isOurs || others.length === 0) return;
    throw new UserError(anothersMirror(`${source}/${keyOf(live)}`, others));
  }
  throw new UserError(
    `the ${resource.kind} ${keyOf(live)} on ${source} is not ${owner.words} and was left alone: rename or delete it, or rename what is exported, and run again`,
  );
}

function hasKind(error: unknown, ...kinds: readonly KubernetesError["kind"][]): boolean {
  return error instanceof KubernetesError && kinds.includes(error.kind);
}
