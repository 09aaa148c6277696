import { deepEqual, equal } from "node:assert/strict";
import { readFileSync } from "node:fs";

import type { Held } from "../../simulation/engine.ts";
import { managerOf } from "../../../engine/model/marks.ts";
import { contentsOf, managersOf } from "../../simulation/outcome.ts";
import { clusters, founded } from "../answers/mesh.ts";
import { stackStateIn } from "../../../cli/stack/stack-state.ts";
import { mirrorsArgs } from "../../../config/share.ts";
import { configOf } from "../../unit/config/table.ts";

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

/** The state of a stack and the objects of its clusters, as version 0.1 left them. */
const fixture = read("mirrors-0.1.json") as Fixture;

/** The state of a stack that also manages Links. Its clusters had the same mirrors. */
const ofLinks = read("links-0.1.json") as Pick<Fixture, "state">;

/** With `links` and `all`, the mirrors of a source have the same arguments. */
const states: readonly (readonly [manage: string, state: State])[] = [
  ["mirrors", fixture.state],
  ["links", ofLinks.state],
  ["all", ofLinks.state],
];

describe("a stack that an earlier version created", () => {
  for (const [manage, state] of states)
    it(`is upgraded by one up, which changes only the marks of mirrors: manage ${manage}`, async () => {
      const mesh = founded();
      mesh.config = { ...mesh.config, manage };
      for (const name of clusters) {
        const server = mesh.server(name);
        for (const { kind, by, object } of fixture.objects[name] ?? [])
          server.put(kind, object, by);
        server.journal.length = 0;
      }
      mesh.engine.restore(new Map(state));
      const before = clusters.map((name) => contentsOf(mesh.server(name)));
      equal((await mesh.up()).failure, undefined);
      deepEqual(
        clusters.map((name) => contentsOf(mesh.server(name))),
        before,
      );
      const services = clusters.flatMap((name) => [...mesh.server(name).all("services").values()]);
      const marks = services.flatMap(managersOf).filter((manager) => manager.includes("/"));
      deepEqual(
        [...new Set(marks.map((manager) => manager.split("#")[0]))],
        [managerOf(founded().stack)],
      );
      const { steps, lines } = await mesh.preview();
      // The headless Services of that mesh have another port than their pods.
      const others = lines.filter((line) => !line.includes("name ports on which"));
      deepEqual([steps.filter(({ changes }) => changes), others], [[], []]);
    });

  it("is watched with all settings of its links before that up", () => {
    const resources = fixture.state.map(([, { inputs }]) => ({
      type: "pulumi-nodejs:dynamic/linkerd:Mirrors",
      inputs,
    }));
    const { mirrors } = stackStateIn(JSON.stringify({ deployment: { resources } }));
    const { config, stack } = founded();
    const [found] = mirrors.values();
    deepEqual(found?.links, mirrorsArgs(configOf(config), found?.source ?? "", stack)?.links);
  });
});
