import { deepEqual, equal, match, ok } from "node:assert/strict";
import { type MockedMesh, mockedMesh, types } from "./mocked-mesh.ts";
import type { Raw } from "../unit/config/table.ts";

const clusters = { west: null, east: null, north: null };
const links = [
  { source: "east", target: "west" },
  { source: "west", target: "east", mirroring: "controller" },
];

/** What Health may be older than: nothing. */
const custom = (mesh: MockedMesh): string[] =>
  mesh.order.filter(
    (each) => !/^(pulumi:providers|command|tls):?/.test(each) && !each.startsWith(types.health),
  );

/** All that a resource comes after, over any number of steps, by dependency, provider or parent. */
function predecessors(mesh: MockedMesh, start: string): ReadonlySet<string> {
  const seen = new Set<string>();
  const visit = (id: string): void => {
    const found = mesh.resources.find(({ type, name }) => `${type} ${name}` === id);
    for (const next of found === undefined ? [] : [...found.dependencies, ...parts(found)])
      if (!seen.has(next)) {
        seen.add(next);
        visit(next);
      }
  };
  const parts = ({ provider, parent }: { provider: string; parent: string }) => [
    ...(provider === "" ? [] : [`${types.provider} ${provider}`]),
    ...(parent === "" ? [] : [parent]),
  ];
  visit(start);
  return seen;
}

describe("Mesh: verified at the end", () => {
  for (const manage of ["links", "all"])
    describe(`with manage: ${manage}`, () => {
      const meshOf = (keys: Raw = {}) => mockedMesh({ manage, clusters, links, ...keys });

      it("Health comes after all that is made, linked or not", async () => {
        const mesh = await meshOf();
        const all = predecessors(mesh, `${types.health} health`);
        deepEqual(
          custom(mesh).filter((each) => !all.has(each)),
          [],
        );
        equal(mesh.order.at(-1), `${types.health} health`);
      });

      it("and after the clusters where there is no link at all", async () => {
        const mesh = await meshOf({ links: [] });
        const all = predecessors(mesh, `${types.health} health`);
        deepEqual(
          custom(mesh).filter((each) => !all.has(each)),
          [],
        );
        ok(all.size > 0);
      });

      it("is told of every source's, token's, chart's and issuer's last change, and of the mesh", async () => {
        const { triggers, mesh } = (await meshOf()).inputs(types.health, "health");
        const { west, east, north, ...others } = triggers as Readonly<Record<string, unknown>>;
        const installed = [west, east, north];
        if (manage === "all") {
          // Mocks do not release anything, so the three charts have no revision.
          for (const one of installed)
            match(JSON.stringify(one), /^\[null,null,null,"[0-9a-f]{12}"\]$/);
          equal(new Set(installed.map((one) => JSON.stringify(one))).size, 3);
        } else deepEqual(installed, [undefined, undefined, undefined]);
        deepEqual(others, {
          "east/mirrors": 3,
          "east/west/credentials": credentials("east", "west"),
          "west/east/credentials": credentials("west", "east"),
          "west/mirrors": 3,
        });
        const { manage: how, clusters: known } = mesh as Readonly<Record<string, unknown>>;
        const contexts = { west: { context: "west" }, east: { context: "east" } };
        deepEqual([how, known], [manage, { ...contexts, north: { context: "north" } }]);
      });

      it("leaves Linkerd's CLI alone unless it is asked for", async () => {
        const mesh = await meshOf();
        deepEqual(
          [mesh.ofType(types.cliCheck), mesh.ofType(types.command), mesh.said],
          [[], [], []],
        );
      });
    });

  describe("with linkerdCheck", () => {
    let mesh: MockedMesh;
    before(async () => {
      mesh = await mockedMesh({ manage: "links", clusters, links, linkerdCheck: true });
    });

    it("the CLI checks every cluster, after all that is made", () => {
      deepEqual(
        mesh
          .ofType(types.command)
          .map(({ name }) => name)
          .toSorted(),
        [
          "linkerd-check/east",
          "linkerd-check/east/multicluster",
          "linkerd-check/north",
          "linkerd-check/north/multicluster",
          "linkerd-check/west",
          "linkerd-check/west/multicluster",
        ],
      );
      const [check, health] = [
        mesh.needs(types.cliCheck, "linkerd-check"),
        mesh.needs(types.health, "health"),
      ];
      // Revisions are inputs of Health itself, and of the commands here.
      deepEqual(
        health.filter((each) => !check.includes(each)),
        [],
      );
      const first = mesh.order.findIndex((each) => each.startsWith(types.command));
      const last = Math.max(...custom(mesh).map((each) => mesh.order.indexOf(each)));
      ok(first > last);
    });

    it("and again when mirrors or credentials have changed", () => {
      const { triggers } = mesh.inputs(types.command, "linkerd-check/east");
      deepEqual(triggers, [credentials("east", "west"), 3, credentials("west", "east"), 3]);
    });
  });
});

/** What Health is told of a link's credentials. */
function credentials(source: string, target: string): string[] {
  return [`https://${target}.example.com`, `linkerd-multicluster-access-${source}-token-1-1`];
}
