import { deepEqual, rejects } from "node:assert/strict";
import { unknownValue } from "../../../engine/providers/contract.ts";
import {
  health,
  statelessResource,
  trustPublications,
} from "../../../engine/providers/stateless.ts";
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
