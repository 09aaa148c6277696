import { deepEqual, equal } from "node:assert/strict";
import { readFileSync } from "node:fs";

import type { Held } from "../../simulation/engine.ts";
import { writesTo } from "../../simulation/outcome.ts";
import { clusters, founded } from "../answers/mesh.ts";

type State = readonly (readonly [name: string, held: Held])[];

interface Fixture {
  readonly objects: Readonly<
    Record<
      string,
      readonly { readonly kind: string; readonly by: string; readonly object: object }[]
    >
  >;
  readonly state: State;
}

function read(file: string): unknown {
  return JSON.parse(readFileSync(new URL(file, import.meta.url), "utf8"));
}

/** The state of a stack, and all that its clusters had, as version 0.1 has left them. */
const fixture = read("mirrors-0.1.json") as Fixture;

/** The state of a stack that makes the Links as well; its clusters had the same mirrors. */
const ofLinks = read("links-0.1.json") as Pick<Fixture, "state">;

/** With `links` and `all` the mirrors of a source are told the same. */
const states: readonly (readonly [manage: string, state: State])[] = [
  ["mirrors", fixture.state],
  ["links", ofLinks.state],
  ["all", ofLinks.state],
];

describe("a stack that an earlier version has made", () => {
  for (const [manage, state] of states)
    it(`is upgraded by one up, without a mirror rewritten or replaced: manage ${manage}`, async () => {
      const mesh = founded();
      mesh.config = { ...mesh.config, manage };
      for (const name of clusters) {
        const server = mesh.server(name);
        for (const { kind, by, object } of fixture.objects[name] ?? [])
          server.put(kind, object, by);
        server.journal.length = 0;
      }
      mesh.engine.restore(new Map(state));
      equal((await mesh.up()).failure, undefined);
      for (const name of clusters) deepEqual(writesTo(mesh.server(name)), [], name);
      const { steps, lines } = await mesh.preview();
      deepEqual([steps.filter(({ changes }) => changes), lines], [[], []]);
    });
});
