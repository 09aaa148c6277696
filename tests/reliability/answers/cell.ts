import { deepEqual, equal, match, ok } from "node:assert/strict";

import type { Ended, Mesh, FaultPlans } from "../../simulation/mesh.ts";
import { contentsOf, trespasses } from "../../simulation/outcome.ts";
import { count } from "../effort.ts";
import { type ClusterFault, faultPlan, type Duration } from "./faults.ts";
import { type Phase, type PhaseName, phases } from "./phases.ts";
import { changed, clusters, deletionsIn, mirrorsFrom, only, sources, undisturbed } from "./mesh.ts";

/** How an operation ends. */
export type End =
  /** It ends as without a fault. */
  | "done"
  /** It ends without an error and with a note, and leaves what the cluster takes part in as it is. */
  | "told"
  | "failed";

export interface Cell {
  readonly phase: PhaseName;
  /** The cluster whose answers are disturbed. */
  readonly at: "east" | "west";
  readonly fault: ClusterFault;
  readonly lasts: Duration;
  /** Disturbs only requests with such a path. By default, all of the phase are disturbed. */
  readonly path?: RegExp;
  readonly end: End;
  /** Matches what is said, if anything is. */
  readonly sentence?: RegExp;
  /** The most and least milliseconds that it waits. */
  readonly patience?: number;
  readonly waits?: number;
  /** Harms the clusters before the run, and undoes that afterwards. */
  readonly spoil?: (mesh: Mesh) => void;
  readonly repair?: (mesh: Mesh) => void;
  /** The cluster itself still gets everything but these objects. */
  readonly except?: RegExp;
}

/** One request has at most so many attempts; see `retryPolicy`. */
const attempts = 8;

/** Checks everything that has to hold in every cell. */
export async function expectCell(cell: Cell): Promise<void> {
  const phase: Phase = phases[cell.phase];
  const mesh = await changed();
  cell.spoil?.(mesh);
  const { path = /./ } = cell;
  const { plan, hits } = faultPlan(
    (request) => cell.fault(request, cell.at, mesh),
    cell.lasts,
    (request) => phase.isPart(request) && path.test(request.path),
  );
  const plans: FaultPlans = (cluster) => (cluster === cell.at ? plan : undefined);
  const ended = await phase.run(mesh, plans);
  const all = [...hits.values()].reduce((sum, times) => sum + times, 0);
  ok(all > 0 || cell.spoil !== undefined, "nothing was disturbed");
  count("faults tried", all);

  for (const [request, times] of hits) ok(times <= attempts, `${request} ${times} times`);
  const { patience = 0, waits = 0 } = cell;
  ok(ended.waited >= waits && ended.waited <= patience, `waited for ${ended.waited} ms`);
  expectWords(cell, ended, mesh);
  await expectOthers(cell, phase, mesh);
  await expectRecovery(cell, phase, mesh);
}

/**
 * Such lines say what a run does, or what a new mirror needs of others, and are no notes about answers:
 * `east → west: +2 ~4 (+ shop/web-west)`.
 */
const summary =
  /^[\w-]+(?: → [\w-]+)?: (?:(?:federated Services )?[+~-]\d|Linkerd in [\w-]+ finds no pods of other clusters )/;

function expectWords(cell: Cell, { failure, lines }: Ended, mesh: Mesh): void {
  const sentences = failure === undefined ? [] : sentencesIn(failure);
  const notes = lines.filter((line) => !line.includes("mirroring: ") && !summary.test(line));
  const told = [...sentences, ...notes];
  const end: End = failure !== undefined ? "failed" : notes.length > 0 ? "told" : "done";
  equal(end, cell.end, told.join("\n"));
  if (end !== "done") match(told.join("\n"), cell.sentence ?? /./);
  for (const sentence of sentences) {
    match(sentence, new RegExp(`(cluster|on) ${cell.at}\\b`));
    match(sentence, /run again|check |see whether |log in again|grant |next run /);
  }
  expectNoSecret({ failure, lines }, mesh);
  deepEqual(repeated(sentences, cell), []);
}

/** Neither messages nor state may hold a credential, whatever an answer has quoted. */
export function expectNoSecret(
  { failure = "", lines }: Pick<Ended, "failure" | "lines">,
  mesh: Mesh,
): void {
  const everything = [failure, ...lines, JSON.stringify([...mesh.engine.state])].join("\n");
  ok(!/token-of-|authorization: Bearer (?!\[secret\])/.test(everything), everything);
}

/** Returns the sentences of an error without the closing one. */
function sentencesIn(failure: string): string[] {
  return failure
    .replace(/^Error: (.*): \1$/, "$1")
    .replace(/^some mirrors in \w+ were not deleted: /, "")
    .split(/\n|; (?=cluster |the Service |Service |Endpoints |\d+ mirrors)/)
    .filter((line) => !line.startsWith("everything else is done"));
}

/** Returns causes that are told more than once for each source. */
function repeated(sentences: readonly string[], { at }: Pick<Cell, "at">): string[] {
  const times = new Map<string, number>();
  for (const sentence of sentences) {
    const cause = sentence
      .replaceAll(/(?<= )[a-z0-9-]+\/[a-z0-9-]+\b/g, "")
      .replaceAll(/"[a-z0-9-]+"/g, "");
    times.set(cause, (times.get(cause) ?? 0) + 1);
  }
  const most = at === "west" ? sources.length : 1;
  return [...times].flatMap(([cause, number]) => (number > most ? [cause] : []));
}

/** Whatever doesn't involve the disturbed cluster must be finished. */
async function expectOthers({ at, end, except }: Cell, phase: Phase, mesh: Mesh): Promise<void> {
  for (const name of clusters) deepEqual(trespasses(mesh.server(name)), []);
  const { contents } = await undisturbed(phase.operation);
  for (const name of sources) {
    const wanted = contents.get(name) ?? {};
    const found = contentsOf(mesh.server(name));
    if (end === "done" || (at === "east" && name !== at)) deepEqual(found, wanted, name);
    else if (except !== undefined) {
      const others = [found, wanted].map((all) => only(all, (key) => !except.test(key)));
      deepEqual(others[0], others[1], name);
    } else if (at === "west")
      deepEqual(mirrorsFrom("south", found), mirrorsFrom("south", wanted), name);
  }
  await expectNoOtherDeletion(phase.operation, mesh);
}

/** An undisturbed run must delete everything that this one deletes. */
export async function expectNoOtherDeletion(
  operation: "up" | "destroy",
  mesh: Mesh,
): Promise<void> {
  const { deletions } = await undisturbed(operation);
  for (const name of clusters)
    for (const deletion of deletionsIn(mesh.server(name)))
      // Endpoints are deleted with their Service or before it.
      ok(
        deletions.get(name)?.has(deletion.replace(/^endpoints/, "services")),
        `${deletion} is deleted on ${name}`,
      );
}

/** The next run must repair everything, and the one after that write nothing. */
export async function expectRecovery(
  { repair }: Pick<Cell, "repair">,
  phase: Pick<Phase, "operation">,
  mesh: Mesh,
): Promise<void> {
  repair?.(mesh);
  const operation = phase.operation === "destroy" ? "destroy" : "up";
  const { contents } = await undisturbed(operation);
  equal((await mesh[operation]()).failure, undefined);
  await expectNoOtherDeletion(operation, mesh);
  for (const name of clusters) {
    const server = mesh.server(name);
    deepEqual(contentsOf(server), contents.get(name), name);
    deepEqual(trespasses(server), []);
    server.journal.length = 0;
  }
  equal((await mesh[operation]()).failure, undefined);
  for (const name of clusters) deepEqual(mesh.server(name).journal, [], name);
}
