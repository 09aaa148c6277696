import { deepEqual, rejects } from "node:assert/strict";
import { PartialFailure, unknownValue } from "../../../engine/providers/contract.ts";
import {
  health,
  revocations,
  statelessResource,
  trustPublications,
} from "../../../engine/providers/stateless.ts";
import { SimulatedEngine } from "../../simulation/engine.ts";
import { mesh } from "../health/views.ts";

const inputs = { mesh: mesh(), triggers: { "east/west": 1 } };
const unchanged = { changes: false };

describe("a stateless resource", () => {
  it("is updated if anything but the provider's code has changed", async () => {
    const stateBy = (__provider: string) => ({ ...inputs, __provider });
    const state = stateBy("code");
    deepEqual(await health.check({}, inputs), { inputs, failures: [] });
    deepEqual(await health.diff("health", state, stateBy("new")), unchanged);
    for (const other of [
      { triggers: {} },
      { mesh: mesh({ manage: "links" }) },
      { refused: ["no"] },
    ]) {
      deepEqual(await health.diff("health", state, { ...inputs, ...other }), {});
      deepEqual(await health.diff("health", { ...inputs, ...other }, inputs), {});
    }
  });

  it("compares only the fields that its definition names", async () => {
    const publication = { stage: "settled", notes: [], clusters: {} } as const;
    const other = { publication, own: ["another"] };
    deepEqual(await trustPublications.diff("trust", { publication }, other), unchanged);
  });

  it("is updated after a failure until it succeeds, although a refresh comes between", async () => {
    let isFailing = true;
    const resource = statelessResource<{ readonly a: number }>({
      idOf: () => "id",
      make: (given) =>
        isFailing
          ? Promise.reject(new PartialFailure("id", given, ["no"]))
          : Promise.resolve(given),
    });
    const engine = new SimulatedEngine(() => resource);
    const wanted = new Map([["it", { a: 1 }]]);
    const changes = async () => (await engine.preview(wanted)).map((step) => step.changes);
    for (let run = 1; run <= 3; run += 1) {
      await rejects(engine.up(wanted), /no/);
      await engine.refresh();
      deepEqual(await changes(), [true]);
    }
    isFailing = false;
    await engine.up(wanted);
    deepEqual(await changes(), [false]);
  });

  it("is updated while its check finds something to delete", async () => {
    const before = { source: "east", isolated: true, targets: {}, namespace: "", revision: 2 };
    const due = { ...before, deletes: { west: "Secret" } };
    deepEqual(await revocations.diff("east", due, due), {});
    deepEqual(await revocations.diff("east", due, before), unchanged);
  });

  it("returns its arguments unchanged while any is unknown", async () => {
    const { check } = statelessResource<{ readonly a: unknown }>({
      idOf: () => "",
      check: () => Promise.reject(new Error("it was asked")),
    });
    const args = { a: [unknownValue] };
    deepEqual(await check({}, args), { inputs: args, failures: [] });
    await rejects(check({}, { a: [] }), /it was asked/);
  });

  it("has nothing to delete, and can't be imported", async () => {
    await health.delete();
    deepEqual(await health.read("health", inputs), { id: "health", props: inputs });
    await rejects(health.read("health"), /: health cannot be imported: run pulumi up$/);
  });
});
