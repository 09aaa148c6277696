import { deepEqual, equal, ok } from "node:assert/strict";
import { printable, redacted } from "../../../tool/bundle.ts";
import type { Facts } from "../../../tool/facts.ts";
import { Mesh, run } from "./mesh.ts";

describe("a bundle", () => {
  let facts: Facts;
  before(async () => {
    facts = await (await new Mesh().up()).facts();
  });

  const changed = (fields: readonly string[], why: string): Facts => ({
    ...facts,
    mirrors: facts.mirrors.map((mirror) => ({ ...mirror, fields })),
    next: facts.next.map((each) => ({ ...each, unknown: why })),
  });

  it("has no value that people write, and no user of a URL", () => {
    const fields = ["annotation a.b/c: canary → d", "label e: canary → f", "ports: 80 → 81"];
    const bundle = redacted(changed(fields, "https://user:canary@host refuses"));
    const text = JSON.stringify(bundle);
    ok(!text.includes("canary") && !text.includes(run.message), text);
    deepEqual(bundle.mirrors[0]?.fields, ["annotation a.b/c", "label e", "ports: 80 → 81"]);
    ok(text.includes("https://…@host refuses"));
  });

  it("is otherwise the same, and the same once it is read", () => {
    const { runs, ...bundle } = redacted(facts);
    const { runs: _, ...rest } = facts;
    deepEqual(JSON.parse(JSON.stringify(bundle)), JSON.parse(JSON.stringify(rest)));
    deepEqual(runs, [{ ...run, message: "" }]);
  });

  it("of somebody else's has nothing that a terminal obeys", () => {
    const text = JSON.stringify(printable(changed(["\u001B[2J"], "a\u202Eb")));
    equal(/\\u001b|\u202E/.test(text), false);
  });
});
