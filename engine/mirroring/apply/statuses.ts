import type { Kubernetes } from "../../kubernetes/interface.ts";
import { resources } from "../../kubernetes/resources.ts";
import type { ObjectKey } from "../../kubernetes/objects.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import { statusUpdate, type LinkStatuses } from "../plan/status.ts";
import type { Failure } from "./apply.ts";

/**
 * Brings the status of Link resources up to date: one patch for a whole list, where Linkerd sends
 * one for each Service.
 *
 * @returns sentences about what could not be written
 */
export async function writeStatuses(
  kubernetes: Kubernetes,
  source: ClusterSnapshot,
  statuses: LinkStatuses,
  failures: readonly Failure[],
): Promise<string[]> {
  const failed = new Map<ObjectKey, string>(
    failures.flatMap(({ key, sentence }) => (key === undefined ? [] : [[key, sentence]])),
  );
  const problems: string[] = [];
  for (const status of statuses) {
    const live = source.links?.get(status.link);
    if (live === undefined) continue;
    const update = statusUpdate(status, live, failed, new Date());
    if (update === undefined) continue;
    try {
      const patch = { status: { [status.list]: update } };
      await kubernetes.patch(resources.links, live.metadata, patch, { subresource: "status" });
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error));
    }
  }
  return problems;
}
