import { deepEqual, equal, match, ok } from "node:assert/strict";
import { type MockedMesh, mockedMesh, predecessors, types } from "./mocked-mesh.ts";
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

describe("Mesh: verified at the end", () => {
  for (const manage of ["links", "all"])
    describe(`with manage: ${manage}`, () => {
      const meshOf = (keys: Raw = {}) => mockedMesh({ manage, clusters, links, ...keys });

      for (const keys of [{}, { links: [] }])
        it(`Health runs after everything else${"links" in keys ? ", also without a link" : ""}`, async () => {
          const mesh = await meshOf(keys);
          const all = predecessors(mesh, `${types.health} health`);
          deepEqual(
            custom(mesh).filter((each) => !all.has(each)),
            [],
          );
          ok(all.size > 1);
        });

      it("gets the last change of the mesh and of every source, token, chart and issuer", async () => {
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
        const { manage: how, clusters: known } = JSON.parse(String(mesh)) as Readonly<
          Record<string, unknown>
        >;
        const contexts = { west: { context: "west" }, east: { context: "east" } };
        deepEqual([how, known], [manage, { ...contexts, north: { context: "north" } }]);
      });
    });

  describe("with linkerdCheck", () => {
    let mesh: MockedMesh;
    before(async () => {
      mesh = await mockedMesh({ manage: "links", clusters, links, linkerdCheck: true });
    });

    it("the CLI checks every cluster after everything else", () => {
      const commands = ["east", "north", "west"].flatMap((name) => [name, `${name}/multicluster`]);
      deepEqual(
        mesh.names(types.command),
        commands.map((name) => `linkerd-check/${name}`),
      );
      const check = mesh.needs(types.cliCheck, "linkerd-check");
      // Revisions are inputs of Health itself, and of the commands here.
      deepEqual(
        mesh.needs(types.health, "health").filter((each) => !check.includes(each)),
        [],
      );
      const first = mesh.order.findIndex((each) => each.startsWith(types.command));
      ok(first > Math.max(...custom(mesh).map((each) => mesh.order.indexOf(each))));
    });

    it("the CLI checks again when mirrors or credentials have changed", () => {
      const { triggers } = mesh.inputs(types.command, "linkerd-check/east");
      deepEqual(triggers, [credentials("east", "west"), 3, credentials("west", "east"), 3]);
    });
  });
});

/** What Health gets about a link's credentials. */
function credentials(source: string, target: string): string[] {
  return [`https://${target}.example.com`, `linkerd-multicluster-access-${source}-token-1-1`];
}
