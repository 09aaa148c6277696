import { inSeconds } from "../../kubernetes/objects/duration.ts";
import type { Kubernetes } from "../../kubernetes/client/interface.ts";
import type { Time } from "../../kubernetes/client/retry.ts";

/**
 * Milliseconds that a run may go on beginning to write to one source: some, and more for each object.
 * At 20 objects a second an API server is slow; an ordinary one takes ten times as many.
 */
export const writingTime = { base: 120_000, each: 50 } as const;

/** A write that was not begun. */
export class WritingTimeOver extends Error {
  readonly notAttempted: string;

  constructor(cluster: string, milliseconds: number) {
    const why = `cluster ${cluster} is so slow that the time to write to it, ${inSeconds(milliseconds)}, is over`;
    super(why);
    this.notAttempted = why;
  }
}

/** What a run does to a source while it writes. */
export type Writer = Pick<Kubernetes, "find" | "create" | "replace" | "patch" | "remove">;

/**
 * The same cluster for one run's writes to it: after its time no write is begun, while what is under
 * way goes on.
 *
 * @param objects how many there are to write
 */
export function inWritingTime(
  kubernetes: Writer & Pick<Kubernetes, "cluster">,
  objects: number,
  time: Pick<Time, "now">,
): Writer {
  const milliseconds = writingTime.base + objects * writingTime.each;
  const end = time.now() + milliseconds;
  const begin = async <T>(write: () => Promise<T>): Promise<T> => {
    if (time.now() >= end) throw new WritingTimeOver(kubernetes.cluster, milliseconds);
    return write();
  };
  return {
    find: (...args) => kubernetes.find(...args),
    create: (...args) => begin(() => kubernetes.create(...args)),
    replace: (...args) => begin(() => kubernetes.replace(...args)),
    patch: (...args) => begin(() => kubernetes.patch(...args)),
    remove: (...args) => begin(() => kubernetes.remove(...args)),
  };
}
