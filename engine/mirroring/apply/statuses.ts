import { resources } from "../../kubernetes/objects/resources.ts";
import { statusUpdate } from "../report/service-status.ts";
import type { LinkStatuses } from "../report/status.ts";
import type { WriteFailure } from "./failures.ts";
import type { Writer } from "./write-scope.ts";
import { messageOf } from "../../user-error.ts";

/**
 * Updates the status of Link resources, with one patch per Link, where Linkerd sends one per Service. Only people
 * read the status, so a failed patch doesn't fail the run; the next run tries again.
 *
 * @returns notes about what could not be written
 */
export async function writeStatuses(
  kubernetes: Writer,
  statuses: LinkStatuses,
  failures: readonly WriteFailure[],
): Promise<string[]> {
  const failed = new Map(failures.map(({ key, sentence }) => [key, sentence]));
  const notes: string[] = [];
  for (const [link, { live }] of new Map(statuses.map((status) => [status.link, status]))) {
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
      const why = messageOf(error);
      notes.push(`the status of Link ${link} stays as it was, because ${why}`);
    }
  }
  return notes;
}
