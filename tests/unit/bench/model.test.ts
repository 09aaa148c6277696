import { deepEqual, equal } from "node:assert/strict";
import {
  type MeshShape,
  mirrorsIn,
  readsOfPhase,
  servicesIn,
  writesOfFirstUp,
} from "../../../testbed/bench/model.ts";
import { Mesh } from "../../simulation/mesh.ts";

/** The formulae of docs/model.md against requests that were counted. tests/e2e/split.test.ts does so on real API servers. */

const label = { "mirror.linkerd.io/exported": "remote-discovery" };

/** Some lists fill their pages, some go on for one object. */
const shapes: Readonly<Record<string, MeshShape>> = {
  "a full mesh": {
    ...{ clusters: 3, targets: 2, namespaces: 501 },
    ...{ services: 980, exported: 30, endpoints: 500, objects: 1 },
  },
  "a mesh of few links": {
    ...{ clusters: 4, targets: 1, namespaces: 3 },
    ...{ services: 490, exported: 20, endpoints: 501, objects: 1 },
  },
};

for (const [name, shape] of Object.entries(shapes)) {
  describe(`the model of requests: ${name}`, () => {
    const mesh = meshOf(shape);
    const stacks = { "one stack": mesh, "a stack each": stackOf(mesh, "c0") } as const;

    it("has the requests of the first up, which reads once", async () => {
      // Pages are full of what was there before.
      const reads = readsOfPhase({ ...shape, exported: 0 }, "one stack");
      const { requests } = await mesh.up();
      deepEqual(
        [...mesh.servers.values()].map(({ journal }) => journal.length),
        Array.from(mesh.servers, () => mirrorsIn(shape)),
      );
      equal(requests, reads + writesOfFirstUp(shape, "one stack"));
    });

    it("has the objects of each cluster", () => {
      for (const server of mesh.servers.values()) {
        equal(server.all("services").size, servicesIn(shape));
        equal(server.all("endpoints").size, shape.endpoints);
        equal(server.all("namespaces").size, shape.namespaces);
      }
    });

    for (const stack of ["one stack", "a stack each"] as const)
      it(`has the reads of a run with nothing to do: ${stack}`, async () => {
        const run = stacks[stack];
        await run.up();
        const { requests, failure } = await run.preview();
        equal(failure, undefined);
        // The Lease is another resource's, which this engine does not have.
        const lease = stack === "one stack" ? 0 : 1;
        equal(requests + lease, readsOfPhase(shape, stack));
      });
  });
}

/** Every cluster mirrors from the ones after it, as many as there are targets. */
function meshOf({ clusters, targets, ...contents }: MeshShape): Mesh {
  const names = Array.from({ length: clusters }, (_, index) => `c${index}`);
  const links = names.flatMap((source, index) =>
    Array.from({ length: targets }, (_, step) => {
      return { source, target: `c${(index + 1 + step) % clusters}` };
    }),
  );
  const mesh = new Mesh(names, {
    clusters: Object.fromEntries(names.map((name) => [name, {}])),
    links,
    linkDefaults: { gateway: false },
  });
  for (const server of mesh.servers.values()) {
    const upTo = (count: number, plural: string, objectOf: (index: number) => object): void => {
      for (let index = 0; server.all(plural).size < count; index++)
        server.put(plural, objectOf(index));
    };
    const inShop = (name: string, labels = {}) => ({ namespace: "shop", name, labels });
    const ports = [{ port: 80 }];
    upTo(contents.services, "services", (index) => ({
      metadata: inShop(`service-${index}`, index < contents.exported ? label : {}),
      spec: { ports },
    }));
    upTo(contents.endpoints, "endpoints", (index) => ({
      metadata: inShop(`service-${index}`),
      subsets: [],
    }));
    upTo(contents.namespaces, "namespaces", (index) => ({ metadata: { name: `space-${index}` } }));
    server.journal.length = 0;
  }
  return mesh;
}

/** The same clusters, of which one is that stack's. */
function stackOf(mesh: Mesh, source: string): Mesh {
  const stack = new Mesh([], { ...mesh.config, sources: [source] });
  for (const [name, server] of mesh.servers) stack.servers.set(name, server);
  return stack;
}
