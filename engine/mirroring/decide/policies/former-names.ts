import type { ObjectKey } from "../../../kubernetes/objects/objects.ts";
import type { Skipped, Wanted } from "../../../model/decision.ts";
import { isServing } from "../../../model/difference.ts";
import { metaOf, originOf, rootOf } from "../../../model/live-mirrors.ts";
import { kinds, type LiveMirror } from "../../../model/mirror.ts";
import { type Reason, reasons } from "../../../model/reasons.ts";
import { originPath } from "../../../model/vocabulary.ts";

export interface Succession {
  /** Names the mirror of the same Service or pod under its present name. */
  readonly successor?: ObjectKey;
  /** Names a mirror without which this one may not be deleted. */
  readonly awaited?: ObjectKey;
}

/** A headless mirror names the mirrors of its pods, so they have one succession. */
interface Present {
  readonly root: ObjectKey;
  readonly awaited?: ObjectKey;
}

/** Another name or namespace would remove these reasons. */
const ofNameOrPlace: ReadonlySet<Reason> = new Set([
  "InvalidName",
  "MissingNamespace",
  "NameTooLong",
]);

/**
 * Decides which mirrors of former names may go: those whose successors a run reads as they should be, so that there is
 * no moment without a name. A mirror that can't have its present name never replaces its predecessor.
 *
 * @param atOnce if this run may also delete what succeeds by its own writes, which `apply` then waits for
 */
export function succession(
  wanted: readonly Wanted[],
  skipped: readonly Skipped[],
  atOnce: boolean,
): (key: ObjectKey, former: LiveMirror) => Succession {
  const successors = new Map<string, ObjectKey>();
  const present = new Map<string, Present>();
  const add = (origin: ObjectKey, key: ObjectKey, isRoot: boolean, isInPlace: boolean) => {
    const path = originPath(origin);
    const { root = key, awaited = isInPlace ? undefined : key } = present.get(path) ?? {};
    present.set(path, { root: isRoot ? key : root, ...(awaited !== undefined && { awaited }) });
  };
  for (const { key, kind, verdict, fields, wanted: mirror } of wanted) {
    const isThere = verdict === "keep" || (verdict === "update" && isServing(fields));
    successors.set(originPath(mirror.origin, mirror.hostname), key);
    add(mirror.origin, key, !kinds[kind].isOfPod, atOnce || isThere);
  }
  for (const { origin, hostname, key, reason } of skipped)
    if (reasons[reason].keeps || ofNameOrPlace.has(reason))
      add(origin, key, hostname === undefined, false);
  return (key, former) => {
    const { service, pod } = originOf(key, former);
    if (service === undefined) return {};
    const now = present.get(originPath(service));
    if (now === undefined || now.root === rootOf(key, metaOf(former))) return {};
    const successor = successors.get(originPath(service, pod));
    return { ...(successor && { successor }), ...(now.awaited && { awaited: now.awaited }) };
  };
}
