import { deepEqual, equal } from "node:assert/strict";

import type { Fault } from "../simulation/faults.ts";
import type { Mesh } from "../simulation/mesh.ts";
import { contentsOf, trespasses, writesTo } from "../simulation/outcome.ts";
import { seed } from "../seed.ts";
import { linkObject } from "../unit/fixtures/objects.ts";
import { changed, founded, sources } from "./answers/mesh.ts";
import { count, repeated } from "./effort.ts";

interface Scenario {
  readonly before: () => Promise<Mesh>;
  readonly operation?: "destroy";
}

const scenarios: Readonly<Record<string, Scenario>> = {
  "a first up": { before: () => Promise.resolve(founded()) },
  "an up that creates, updates, replaces and deletes": { before: () => changed() },
  "an up that removes links, leaves one to Linkerd's controller and keeps the status of Links": {
    before: async () => {
      const mesh = await changed();
      for (const source of sources) mesh.server(source).put("links", linkObject("west"));
      mesh.config = { ...mesh.config, manage: "links" };
      mesh.link(
        { source: "east", target: "west", mirroring: "controller" },
        { source: "east", target: "south", gateway: false },
        { source: "north", target: "west", headless: true },
      );
      return mesh;
    },
  },
  "an up of a stack whose state is lost": {
    before: async () => {
      const mesh = await changed();
      mesh.engine.restore(new Map());
      return mesh;
    },
  },
  "a destroy": { before: () => changed(), operation: "destroy" },
};

/** The process dies just before it sends a request, or before the answer arrives. */
const deaths = ["crash", "carry out and crash"] as const satisfies readonly Fault[];

/** In `npm test`, the process dies at so many requests of a run. */
const sample = 16;

for (const [name, { before, operation = "up" }] of Object.entries(scenarios))
  describe(`${name}, killed at any request`, () => {
    for (const death of deaths)
      it(`is completed by the next one, which leaves nothing to do (${death})`, async () => {
        const mesh = await before();
        const undisturbed = mesh.copy();
        const { requests, failure } = await undisturbed[operation]();
        equal(failure, undefined);
        const expected = endOf(undisturbed);
        for (const at of spread(requests))
          try {
            const killed = mesh.copy();
            const ended = await killed[operation](
              () =>
                ({ ofAll }) =>
                  ofAll === at ? death : undefined,
            );
            equal(ended.crashed, true);
            expectOnlyOwn(killed);
            equal((await killed[operation]()).failure, undefined);
            deepEqual(endOf(killed), expected);
            expectOnlyOwn(killed);
            for (const { journal } of killed.servers.values()) journal.length = 0;
            equal((await killed[operation]()).failure, undefined);
            for (const server of killed.servers.values()) deepEqual(server.journal, []);
            count("crashes survived");
          } catch (error) {
            throw new Error(`killed at request ${at} of ${requests}`, { cause: error });
          }
      });
  });

/** Returns numbers from 1 to the last one, evenly spread, from a start that the seed chooses. */
function spread(last: number): number[] {
  const many = Math.min(last, repeated(sample));
  const step = last / many;
  const from = seed % Math.ceil(step);
  return Array.from({ length: many }, (_, index) => (Math.floor(index * step + from) % last) + 1);
}

/** Returns what the clusters hold, and the mirrors in the state. */
function endOf(mesh: Mesh) {
  return {
    contents: [...mesh.servers].map(([name, server]) => [name, contentsOf(server)]),
    known: [...mesh.engine.state].sort().map(([name, { inputs }]) => [name, inputs.mirrors]),
  };
}

/** A run writes only this stack's mirrors and the status of Links, and nothing to a target. */
function expectOnlyOwn({ servers }: Mesh): void {
  for (const [name, server] of servers) {
    deepEqual(trespasses(server), []);
    if (!sources.some((source) => source === name)) deepEqual(writesTo(server), []);
  }
}
