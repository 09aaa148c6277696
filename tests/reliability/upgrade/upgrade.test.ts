import { deepEqual, equal } from "node:assert/strict";
import { readFileSync } from "node:fs";

import type { Held } from "../../simulation/engine.ts";
import { writesTo } from "../../simulation/outcome.ts";
import { clusters, founded } from "../answers/mesh.ts";

interface Fixture {
  readonly objects: Readonly<
    Record<
      string,
      readonly { readonly kind: string; readonly by: string; readonly object: object }[]
    >
  >;
  readonly state: readonly (readonly [name: string, held: Held])[];
}

/** The state of a stack, and all that its clusters had, as version 0.1 has left them. */
const fixture = JSON.parse(
  readFileSync(new URL("mirrors-0.1.json", import.meta.url), "utf8"),
) as Fixture;

describe("a stack that an earlier version has made", () => {
  it("is upgraded by one up, without a mirror rewritten or replaced", async () => {
    const mesh = founded();
    for (const name of clusters) {
      const server = mesh.server(name);
      for (const { kind, by, object } of fixture.objects[name] ?? []) server.put(kind, object, by);
      server.journal.length = 0;
    }
    mesh.engine.restore(new Map(fixture.state));
    equal((await mesh.up()).failure, undefined);
    for (const name of clusters) deepEqual(writesTo(mesh.server(name)), [], name);
    const { steps, lines } = await mesh.preview();
    deepEqual([steps.filter(({ changes }) => changes), lines], [[], []]);
  });
});
