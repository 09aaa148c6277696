import type { Kubernetes } from "../../kubernetes/interface.ts";
import type { ObjectKey } from "../../kubernetes/objects.ts";
import { resources } from "../../kubernetes/resources.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import { statusUpdate, type LinkStatuses } from "../plan/status.ts";
import { type Failure, failureOf } from "./failures.ts";

/**
 * Brings the status of Link resources up to date: one patch for each Link, where Linkerd sends one
 * for each Service.
 *
 * @returns what could not be written
 */
export async function writeStatuses(
  kubernetes: Kubernetes,
  source: ClusterSnapshot,
  statuses: LinkStatuses,
  failures: readonly Failure[],
): Promise<Failure[]> {
  const failed = new Map<ObjectKey, string>(
    failures.flatMap(({ key, sentence }) => (key === undefined ? [] : [[key, sentence]])),
  );
  const problems: Failure[] = [];
  for (const link of new Set(statuses.map((status) => status.link))) {
    const live = source.links?.get(link);
    if (live === undefined) continue;
    const updates = statuses
      .filter((status) => status.link === link)
      .flatMap((status) => {
        const update = statusUpdate(status, live, failed, new Date());
        return update === undefined ? [] : [[status.list, update] as const];
      });
    if (updates.length === 0) continue;
    try {
      const patch = { status: Object.fromEntries(updates) };
      await kubernetes.patch(resources.links, live.metadata, patch, { subresource: "status" });
    } catch (error) {
      problems.push(failureOf(error));
    }
  }
  return problems;
}
