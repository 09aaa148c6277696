import { objectKey, type ObjectKey } from "../../kubernetes/objects.ts";
import { apply, changesIn, type PartWork } from "../apply/apply.ts";
import { sentencesOf } from "../apply/failures.ts";
import { release } from "../apply/marks.ts";
import { writeStatuses } from "../apply/statuses.ts";
import { inWritingTime } from "../apply/writing-time.ts";
import { desiredFederated } from "../desired/federated.ts";
import { federatedPart, ownerOf } from "../model/owner.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import { managerOf } from "../model/stack-mark.ts";
import type { Clusters } from "../observe/clusters.ts";
import { liveMirrors } from "../plan/ownership.ts";
import { deletion, plan } from "../plan/plan.ts";
import { emptyStatus } from "../plan/status.ts";
import { count } from "../plan/text.ts";
import { endIfCancelled } from "./cancelled.ts";
import { movedIn } from "./mistakes.ts";
import { observeControllers, readClusters, snapshotIn } from "./observation.ts";
import { fateOf, hasLeft, markedAmong, removedLinks, sparedMirrors } from "./removed-links.ts";
import { entryOf, makesLinks, type Outputs, stacksOf } from "./state.ts";
import type { WantedHere } from "./wanted-here.ts";

/**
 * Takes away everything that this stack has mirrored into a source, for which the source alone is
 * read. What a controller of Linkerd's mirrors now, what another stack keeps and what another
 * resource of this run wants stays.
 *
 * @returns sentences about what could not be done
 * @throws Error where nothing was done
 */
export async function removeAll(
  clusters: Clusters,
  wanted: WantedHere,
  state: Outputs,
  say: (line: string) => void,
): Promise<readonly string[]> {
  const { source: name } = state;
  const entry = entryOf(state, name);
  // Deletions of other resources on the same cluster share this reading.
  clusters.renew(entry);
  const alone = { ...state, clusters: { [name]: entry }, links: [] };
  const readings = await readClusters(clusters, alone);
  endIfCancelled(clusters, name);
  const moved = movedIn(alone, state, readings).get(name);
  if (moved !== undefined) throw new Error(moved);
  const source = snapshotIn(readings, name);
  const reading = readings.get(name);
  if (source === undefined)
    throw new Error(
      `${reading === undefined || reading.outcome === "read" ? `the stack has no cluster ${name}` : reading.why}; if it is gone for good, run pulumi up with linkerd-multicluster:clusters.${name}.revoked set to true`,
    );
  if (wanted.mayWantMore(source.identity))
    throw new Error(
      `the mirrors of ${name} stay for now, because another source of this run can't be read and may be the same cluster under another name: run again once it can be read`,
    );
  const stacks = stacksOf(state);
  const removed = removedLinks(alone, state);
  const controllers = await observeControllers(clusters, alone);
  endIfCancelled(clusters, name);
  const work = new Map<string, PartWork>();
  const released: ObjectKey[] = [];
  const gone: string[] = [];
  const emptied: string[] = [];
  for (const link of removed) {
    const part = fateOf(link, alone, state, source, controllers);
    const about = `${name} <- ${link.target}`;
    if (part.fate === "unknown") {
      if (hasLeft(source, link.target, stacks)) throw new Error(part.why);
      continue;
    }
    if (part.fate === "stays") {
      say(`${about}: its mirrors stay, because ${part.controller} mirrors it now`);
      continue;
    }
    gone.push(link.target);
    for (const note of part.notes) say(`${about}: ${note}`);
    released.push(...markedAmong(part.spared, source, stacks));
    const live = [...liveMirrors(source, ownerOf(link.target))].filter(
      ([key]) => !part.spared.has(key),
    );
    const free = live.filter(([key]) => !wanted.has(source.identity, key));
    if (free.length === live.length && part.spared.size === 0) emptied.push(link.target);
    if (free.length < live.length)
      say(
        `${about}: ${count(live.length - free.length, "mirror")} left, because this run has the same cluster under another name`,
      );
    work.set(link.target, {
      ...{ addresses: new Map(), namespaces: [] },
      changes: free.map(([key, mirror]) => deletion(key, mirror)),
    });
  }
  const members = planMembers(source, gone, stacks, wanted);
  for (const note of members.notes) say(`${name}: ${note}`);
  work.set(federatedPart, members.plan);

  const allReleased = [...released, ...members.released];
  const objects = changesIn(work) + allReleased.length;
  const client = await clusters.client(name, entry);
  const destination = {
    kubernetes: inWritingTime(client, objects, clusters.time),
    ...{ source: name, fieldManager: managerOf(state.stack), time: clusters.time },
  };
  const failures = await apply(destination, work, say);
  const marks = await release(destination, allReleased, stacks);
  const { statusIn } = state;
  if (statusIn !== undefined && !makesLinks(state)) {
    // Somebody else's Links stay, and would go on naming mirrors that are gone.
    const former = emptied.flatMap((target) => emptyStatus(objectKey(statusIn, target)));
    const notes = await writeStatuses(destination.kubernetes, source, former, failures);
    for (const note of notes) say(`${name}: ${note}`);
  }
  return sentencesOf([...failures, ...marks]);
}

/** Takes the members of these clusters out of the federated Services, and those without any with them. */
function planMembers(
  source: ClusterSnapshot,
  targets: readonly string[],
  stacks: readonly string[],
  wanted: WantedHere,
) {
  const live = liveMirrors(source, ownerOf(federatedPart));
  const { spared, notes } = sparedMirrors(live, stacks);
  const wantedOnes = desiredFederated({ source, links: [], retired: targets });
  const left = new Set([...spared, ...wantedOnes.foreign]);
  const whole = plan([{ ...wantedOnes, part: federatedPart, spared: left }], source, []).get(
    federatedPart,
  );
  const changes = (whole?.changes ?? []).filter(
    ({ key }) => !spared.has(key) && !wanted.has(source.identity, key),
  );
  return {
    notes,
    released: markedAmong(spared, source, stacks),
    plan: { addresses: whole?.addresses ?? new Map(), namespaces: [], changes },
  };
}
