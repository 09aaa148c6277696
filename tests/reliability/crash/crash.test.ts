import { deepEqual, equal, ok } from "node:assert/strict";

import { managerOf } from "../../../engine/mirroring/model/marks.ts";
import { status } from "../../simulation/api-server.ts";
import type { Fault, Seen } from "../../simulation/faults.ts";
import type { Ended, FaultPlans, Mesh } from "../../simulation/mesh.ts";
import { contentsOf, managersOf, trespasses, writesTo } from "../../simulation/outcome.ts";
import { seed } from "../../seed.ts";
import { count, repeated } from "../effort.ts";
import { foreignIn, sources } from "./mesh.ts";
import { type Scenario, scenarios } from "./scenarios.ts";

/** What goes wrong with a run at one of its requests, by name. */
const disturbances = {
  "is killed before": (at) => (seen) => (seen.ofAll === at ? "crash" : undefined),
  "is killed after": (at) => (seen) => (seen.ofAll === at ? "carry out and crash" : undefined),
  "is refused": (at) => (seen) =>
    seen.ofAll === at ? { answer: status(403, "Forbidden", "somebody says no") } : undefined,
  "is cut off from all clusters at": (at) => (seen) => (seen.ofAll >= at ? "reset" : undefined),
  "loses the answer and the connections at": (at) => (seen) =>
    seen.ofAll === at ? "drop" : seen.ofAll > at ? "reset" : undefined,
} satisfies Record<string, (at: number) => (seen: Seen) => Fault | undefined>;

type Disturbance = keyof typeof disturbances;

/** Of the requests of one run, at how many of them each thing goes wrong in the suite. */
const sample = 8;

for (const scenario of scenarios) {
  describe(`${scenario.name}: another run makes up for it if the run`, () => {
    let whole: Undisturbed;

    before(async () => {
      whole = await undisturbed(scenario);
    });

    for (const disturbance of Object.keys(disturbances) as Disturbance[])
      it(`${disturbance} any of its requests`, async () => {
        for (const at of spread(whole.requests)) {
          try {
            await survives(scenario, whole, disturbance, at);
          } catch (error) {
            const where = `${scenario.name}, which ${disturbance} request ${at} of ${whole.requests}`;
            throw new Error(`${where}: ${String(error)}`, { cause: error });
          }
          count("crashes survived");
        }
      });
  });
}

/** Numbers from 1 up to the last, evenly, from wherever the seed begins. */
function spread(last: number): number[] {
  const many = Math.min(last, repeated(sample));
  const step = last / many;
  const from = seed % Math.ceil(step);
  return Array.from({ length: many }, (_, index) => (Math.floor(index * step + from) % last) + 1);
}

/** How an undisturbed run ends, to which every other one is held. */
interface Undisturbed {
  readonly before: Mesh;
  /** Requests to all clusters. */
  readonly requests: number;
  readonly contents: string;
  readonly known: string;
  /** What is left once the stack is destroyed. */
  readonly left: string;
  /** Ends of runs from which it is known what the next ones do. */
  readonly tried: Set<string>;
}

async function undisturbed(scenario: Scenario): Promise<Undisturbed> {
  const before = await scenario.before();
  const mesh = before.copy();
  // First only counted, since what happens in the middle has to know where that is.
  const { requests } = await operate(before.copy(), scenario);
  const { failure } = await operate(mesh, scenario, midwayOf(mesh, scenario, requests));
  equal(failure, undefined);
  const contents = contentsIn(mesh);
  const known = knownTo(mesh);
  const tried = new Set([endOf(mesh)]);
  assertKnown(mesh, scenario);
  await assertSettled(mesh, scenario);
  await destroyed(mesh);
  assertNothingLeft(mesh, scenario);
  assertOnlyOwn(before, mesh);
  return { before, requests, contents, known, left: contentsIn(mesh), tried };
}

/** Disturbs the run at its `at`th request, and has everything as if nothing had been after another run. */
async function survives(
  scenario: Scenario,
  { before, requests, contents, known, left, tried }: Undisturbed,
  disturbance: Disturbance,
  at: number,
): Promise<void> {
  const mesh = before.copy();
  const happens = midwayOf(mesh, scenario, requests);
  const disturb = disturbances[disturbance](at);
  const disturbed = await operate(mesh, scenario, (cluster) => (seen) => {
    happens(cluster)?.(seen);
    return disturb(seen);
  });
  const isKilled = disturbance.startsWith("is killed");
  equal(disturbed.crashed, isKilled);
  assertOnlyOwn(before, mesh);
  const { runsAfterOutage = 1 } = scenario;
  for (let runs = isKilled ? 1 : runsAfterOutage; runs > 0; runs--) {
    const { failure } = await operate(mesh, scenario);
    equal(failure, undefined);
  }
  same(contentsIn(mesh), contents);
  same(knownTo(mesh), known);
  assertOnlyOwn(before, mesh);
  const end = endOf(mesh);
  if (tried.has(end)) return;
  tried.add(end);
  await assertSettled(mesh, scenario);
  await destroyed(mesh);
  same(contentsIn(mesh), left);
  assertOnlyOwn(before, mesh);
}

function operate(mesh: Mesh, { operation }: Scenario, plans?: FaultPlans): Promise<Ended> {
  return operation === "destroy" ? mesh.destroy(plans) : mesh.up(plans);
}

function midwayOf(mesh: Mesh, { midway }: Scenario, requests: number): FaultPlans {
  const middle = Math.ceil(requests / 2);
  return () => (seen) => {
    if (seen.ofAll === middle) midway?.(mesh);
    return undefined;
  };
}

/** Another run has nothing to do, says so, and writes nothing. */
async function assertSettled(mesh: Mesh, scenario: Scenario): Promise<void> {
  const now = () => [
    ...[...mesh.servers.values()].map(({ journal }) => journal.length),
    ...[...mesh.engine.state].map(([name, held]) => [name, held.outputs.revision, held.isPartial]),
  ];
  const before = now();
  const { failure } = await operate(mesh, scenario);
  equal(failure, undefined);
  deepEqual(now(), before);
}

async function destroyed(mesh: Mesh): Promise<void> {
  const { failure } = await mesh.destroy();
  equal(failure, undefined);
  equal(mesh.engine.state.size, 0);
}

/** Nothing that isn't the program's was written, nor anything at all to what is no source. */
function assertOnlyOwn(before: Mesh, mesh: Mesh): void {
  for (const server of mesh.servers.values()) deepEqual(trespasses(server), []);
  deepEqual(writesTo(mesh.server("west")), []);
  deepEqual(foreignIn(mesh), foreignIn(before));
}

/** Every mirror with a mark of this stack is known to its state, or somebody else's in the end. */
function assertKnown(mesh: Mesh, { stay = [] }: Scenario): void {
  const allowed = new Set(stay.map((name) => `east shop/${name}`));
  for (const [source, { inputs }] of mesh.engine.state)
    for (const lines of Object.values(inputs.mirrors as Record<string, object>))
      for (const key of Object.keys(lines)) allowed.add(`${source} ${key}`);
  for (const key of markedIn(mesh)) ok(allowed.has(key), `${key} is not known`);
}

/** Of a stack that is destroyed, which knows nothing any more. */
function assertNothingLeft(mesh: Mesh, scenario: Scenario): void {
  assertKnown(mesh, scenario);
  const services = mesh.server("east").all("services");
  for (const name of scenario.stay ?? []) ok(services.has(`shop/${name}`), `${name} is gone`);
}

function markedIn(mesh: Mesh): string[] {
  const manager = managerOf(mesh.stack);
  return sources.flatMap((source) =>
    ["services", "endpoints"].flatMap((plural) =>
      [...mesh.server(source).all(plural)]
        .filter(([, object]) => managersOf(object).includes(manager))
        .map(([key]) => `${source} ${key}`),
    ),
  );
}

function contentsIn(mesh: Mesh): string {
  return JSON.stringify([...mesh.servers].map(([name, server]) => [name, contentsOf(server)]));
}

/** All that another run finds, but for UIDs and versions. */
function endOf(mesh: Mesh): string {
  const managed = [...mesh.servers.values()].flatMap((server) =>
    ["services", "endpoints"].flatMap((plural) =>
      [...server.all(plural)].map(([key, { metadata }]) => [plural, key, metadata.managedFields]),
    ),
  );
  const marks = managed.map((each) => JSON.stringify(each)).sort();
  return JSON.stringify([contentsIn(mesh), marks, [...mesh.engine.state].sort()]);
}

/** The mirrors that the state knows. */
function knownTo(mesh: Mesh): string {
  return JSON.stringify(
    [...mesh.engine.state].sort().map(([name, { inputs }]) => [name, inputs.mirrors]),
  );
}

function same(actual: string, expected: string): void {
  if (actual !== expected) deepEqual(JSON.parse(actual), JSON.parse(expected));
}
