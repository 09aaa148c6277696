import { inParallel } from "../../kubernetes/parallel.ts";
import type { ObjectKey } from "../../kubernetes/objects.ts";
import { resources } from "../../kubernetes/resources.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import { managerOf } from "../model/stack-mark.ts";
import { label } from "../model/vocabulary.ts";
import type { Destination } from "./apply.ts";

/**
 * Marks mirrors that are right as this stack's too, so that a stack that made them leaves them here
 * when it is destroyed. Nothing about the objects changes but who vouches for them.
 *
 * @returns sentences about what failed
 */
export async function confirm(
  { kubernetes, fieldManager }: Destination,
  keys: readonly ObjectKey[],
): Promise<string[]> {
  return failuresOf(
    await inParallel(keys, async (key) => {
      const [namespace = "", name = ""] = key.split("/");
      const metadata = { name, namespace, labels: { [label.mirrored]: "true" } };
      await kubernetes.apply(resources.services, { metadata }, { fieldManager });
    }),
  );
}

/**
 * Takes this stack's marks off mirrors that stay with another stack, so that the other one can
 * delete them one day.
 *
 * @param stacks the names of this stack
 * @returns sentences about what failed
 */
export async function release(
  { kubernetes }: Destination,
  { services }: ClusterSnapshot,
  keys: readonly ObjectKey[],
  stacks: readonly string[],
): Promise<string[]> {
  const own = new Set(stacks.map(managerOf));
  return failuresOf(
    await inParallel(keys, async (key) => {
      const meta = services.get(key)?.metadata;
      if (meta === undefined) return;
      const { name, namespace, resourceVersion, managedFields = [] } = meta;
      const others = managedFields.filter(({ manager = "" }) => !own.has(manager));
      const patch = { metadata: { resourceVersion, managedFields: others } };
      await kubernetes.patch(resources.services, { name, namespace }, patch);
    }),
  );
}

function failuresOf(results: readonly PromiseSettledResult<unknown>[]): string[] {
  return results.flatMap((result) =>
    result.status === "rejected"
      ? [result.reason instanceof Error ? result.reason.message : String(result.reason)]
      : [],
  );
}
