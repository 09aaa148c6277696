import { deepEqual, equal, match, ok } from "node:assert/strict";
import { type MockedMesh, mockedMesh, predecessors, types } from "./mocked-mesh.ts";
import { meshIn } from "../../engine/health/health-mesh.ts";

const clusters = { west: null, east: null, north: null };
const links = [
  { source: "east", target: "west" },
  { source: "west", target: "east", mirroring: "controller" },
];

/** Lists all resources that Health has to wait for. */
const custom = (mesh: MockedMesh): string[] =>
  mesh.order.filter(
    (each) =>
      !/^(pulumi:providers|command|tls):?/.test(each) &&
      ![types.health, types.installed].some((type) => each.startsWith(type)),
  );

describe("Mesh: verified at the end", () => {
  for (const keys of [{ links: [] }, { links }])
    it(`Health runs after everything else, with ${keys.links.length} links`, async () => {
      const mesh = await mockedMesh({ manage: "all", clusters, ...keys });
      const before = predecessors(mesh, `${types.health} checks`);
      deepEqual(
        custom(mesh).filter((each) => !before.has(each)),
        [],
      );
      ok(before.size > 1);
    });

  for (const manage of ["links", "all"])
    it(`Health gets the last change of every source, token, chart and issuer, with manage: ${manage}`, async () => {
      const mesh = await mockedMesh({ manage, clusters, links });
      const { triggers, mesh: known } = mesh.inputs(types.health, "checks");
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
      const described = meshIn(known as string);
      deepEqual(
        [described.manage, Object.keys(described.clusters).sort()],
        [manage, ["east", "north", "west"]],
      );
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
        mesh
          .needs(types.health, "checks")
          .filter((each) => !check.includes(each) && !each.startsWith(types.target)),
        [],
      );
      const first = mesh.order.findIndex((each) => each.startsWith(types.command));
      ok(first > Math.max(...custom(mesh).map((each) => mesh.order.indexOf(each))));
    });

    it("the CLI checks again when mirrors or credentials have changed", () => {
      const { triggers } = mesh.inputs(types.command, "linkerd-check/east");
      deepEqual(triggers, [3, credentials("east", "west"), credentials("west", "east"), 3]);
    });
  });
});

/** Health gets this about a link's credentials. */
function credentials(source: string, target: string): string[] {
  return [`https://${target}.example.com`, `linkerd-multicluster-access-${source}-token-1-1`];
}
