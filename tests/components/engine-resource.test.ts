import { deepEqual, equal, ok } from "node:assert/strict";
import { createRequire } from "node:module";
import { EngineResource } from "../../components/engine-resource.ts";
import { mockedStack } from "./mocked-stack.ts";

/** Pulumi's server for dynamic providers runs the code in state with it. */
const requireFromString = createRequire(import.meta.url)("require-from-string") as (
  code: string,
) => { readonly handler: () => Readonly<Record<string, (...args: unknown[]) => unknown>> };

describe("a resource with the engine's methods", () => {
  let code: string;

  before(async () => {
    const { resource } = await mockedStack(
      () => new EngineResource("Mirrors", "east", { source: "east" }),
    );
    const { __provider, ...inputs } = resource(
      "pulumi-nodejs:dynamic/linkerd:Mirrors",
      "east",
    ).inputs;
    deepEqual(inputs, { source: "east" });
    code = String(__provider);
  });

  it("has every method that Pulumi calls", () => {
    const { handler } = requireFromString(code);
    const names = ["check", "create", "delete", "diff", "read", "update"];
    deepEqual(Object.keys(handler()).sort(), names);
  });

  it("passes calls to the engine and returns its answers", async () => {
    const { handler } = requireFromString(code);
    const diff = (now: object) => handler()["diff"]?.("east", {}, now);
    deepEqual(await diff({}), { changes: false });
    deepEqual(await diff({ due: true }), {});
  });

  it("stores nothing but calls by name in the state", () => {
    equal(code.match(/import\("@linkerd-multicluster\/engine"\)/g)?.length, 6);
    ok(code.length < 1_000, code);
  });
});
