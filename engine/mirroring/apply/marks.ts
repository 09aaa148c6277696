import type { ObjectKey } from "../../kubernetes/objects/objects.ts";
import { resources } from "../../kubernetes/objects/resources.ts";
import { managerOf } from "../model/owner.ts";
import { label } from "../model/vocabulary.ts";
import type { Destination } from "./apply.ts";
import { attempt, type WriteFailure } from "./failures.ts";

/**
 * Marks mirrors that are right as this stack's too, so that a stack that made them leaves them here
 * when it is destroyed. Nothing about the objects changes but who vouches for them.
 *
 * @returns what failed
 */
export async function confirm(
  { kubernetes, fieldManager }: Destination,
  mirrors: readonly { readonly key: ObjectKey }[],
): Promise<WriteFailure[]> {
  return attempt(mirrors, async ({ key }) => {
    const [namespace = "", name = ""] = key.split("/");
    const metadata = { name, namespace, labels: { [label.mirrored]: "true" } };
    await kubernetes.apply(resources.services, { metadata }, { fieldManager });
  });
}

/**
 * Takes this stack's marks off mirrors that stay with another stack, so that the other one can
 * delete them one day.
 *
 * @param stacks the names of this stack
 * @returns what failed
 */
export async function release(
  { kubernetes }: Destination,
  mirrors: readonly { readonly key: ObjectKey }[],
  stacks: readonly string[],
): Promise<WriteFailure[]> {
  const own = new Set(stacks.map(managerOf));
  return attempt(mirrors, async ({ key }) => {
    const [namespace = "", name = ""] = key.split("/");
    const live = await kubernetes.find(resources.services, { namespace, name });
    if (live === undefined) return;
    const { resourceVersion, managedFields = [] } = live.metadata;
    const others = managedFields.filter(({ manager = "" }) => !own.has(manager));
    const patch = { metadata: { resourceVersion, managedFields: others } };
    await kubernetes.patch(resources.services, { name, namespace }, patch);
  });
}
