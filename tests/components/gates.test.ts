import { deepEqual, equal, ok } from "node:assert/strict";
import type { DeclaredLink } from "../../engine/model/link.ts";
import { meshOf, type MockedMesh, mockedMesh, types } from "./mocked-mesh.ts";

const clusters = {
  west: { gatewayAccess: "exported" },
  east: { trustDomain: "east.local" },
  north: { gatewayClients: ["shop/client"] },
  south: null,
  down: null,
  alone: { trustDomain: "alone.local" },
};
const sources = ["east", "north", "south"];
const links = [
  ...sources.map((source) => ({ source, target: "west" })),
  { source: "down", target: "west", gateway: false },
];
const suffix = "serviceaccount.identity.linkerd";

describe("a closed gateway's resources", () => {
  let mesh: MockedMesh;

  before(async () => {
    mesh = await mockedMesh({ manage: "links", clusters, links });
  });

  it("give access before all mirrors, and take it after them", () => {
    const at = (type: string, name: string) => mesh.order.indexOf(`${type} ${name}`);
    for (const source of sources) {
      ok(at(types.gate, "west/give") < at(types.mirrors, source));
      ok(mesh.needs(types.gate, "west/take").includes(`${types.mirrors} ${source}`));
    }
    deepEqual(mesh.names(types.gate), ["west/give", "west/take"]);
  });

  it("know the links, of which a flat one has no selector for the gateway, and how each cluster's clients can be told from others", () => {
    const { links: known, clients, alike } = mesh.inputs(types.gate, "west/give");
    const selectors = (known as readonly DeclaredLink[]).map(({ source, selector }) => {
      return [source, selector];
    });
    deepEqual(selectors, [...sources.map((source) => [source, undefined]), ["down", {}]]);
    deepEqual(clients, {
      east: [`*.${suffix}.east.local`],
      north: [`client.shop.${suffix}.cluster.local`],
      south: [`*.${suffix}.cluster.local`],
      down: [`*.${suffix}.cluster.local`],
      alone: [`*.${suffix}.alone.local`],
    });
    deepEqual(mesh.inputs(types.gate, "west/take")["sources"], [...sources, "down"]);
    const [south, down] = [
      ["north", "down"],
      ["north", "south"],
    ];
    deepEqual(alike, { east: [], north: [], south, down, alone: [] });
  });

  it("write nothing where the run must not, and belong to the stack of their cluster alone", async () => {
    const refused = new Map([["west", "it is another cluster"]]);
    const { inputs } = await meshOf(mesh.config, { found: { refused } });
    equal(inputs(types.gate, "west/take")["refused"], "it is another cluster");
    const other = await mockedMesh({ manage: "links", clusters, links, sources: ["east"] });
    deepEqual(other.names(types.gate), []);
  });
});
