import { equal } from "node:assert/strict";
import { Mesh } from "../../simulation/mesh.ts";

/**
 * A run reads each of its clusters once: five lists, with 500 objects on a page. With nothing to do it asks for nothing
 * else, and a first `up` creates each object once.
 */
interface MeshShape {
  readonly clusters: number;
  /** Of each source. */
  readonly targets: number;
  /** Of each cluster: the Services without those of mirrors, the Endpoints with them. */
  readonly namespaces: number;
  readonly services: number;
  readonly endpoints: number;
  /** Of each cluster, into each source that has it as a target. */
  readonly exported: number;
}

const remote = { "mirror.linkerd.io/exported": "remote-discovery" };
const exported = { "mirror.linkerd.io/exported": "true" };
const gateway = { addresses: ["192.0.2.1"], port: 4143, identity: "gateway.c1" };

/** Some lists fill their pages, and one goes on for one object. */
const shape: MeshShape = {
  ...{ clusters: 3, targets: 1, namespaces: 3 },
  ...{ services: 490, exported: 20, endpoints: 501 },
};

describe("the requests of a run", () => {
  const mesh = meshOf(shape);

  it("are a reading of each cluster and a write for each mirror, in the first up", async () => {
    equal((await mesh.up()).requests, 3 * (6 + 20));
  });

  it("are a reading of each cluster where nothing is to do", async () => {
    const { requests, failure } = await mesh.preview();
    equal(failure, undefined);
    // The mirrors begin another page.
    equal(requests, 3 * 7);
  });

  it("are a reading of the source and its targets where each source is a stack's", async () => {
    const stack = stackOf(mesh, "c0");
    await stack.up();
    equal((await stack.preview()).requests, 2 * 7);
  });

  it("are a reading of the source and a delete for each mirror, whose Endpoints go with it, in a destroy", async () => {
    const pair = new Mesh(["c0", "c1"], {
      clusters: { c0: {}, c1: {} },
      links: [{ source: "c0", target: "c1", gateway }],
    });
    fill(pair, { namespaces: 1, services: 21, exported: 20, endpoints: 0 }, exported);
    await pair.up();
    equal(pair.servers.get("c0")?.all("endpoints").size, 20);
    // The sixth list and the seventh are of Deployments, and of the one Service that every cluster has.
    equal((await pair.destroy()).requests, 7 + 20);
    equal(pair.servers.get("c0")?.all("endpoints").size, 0);
  });
});

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
  fill(mesh, contents, remote);
  return mesh;
}

function fill(
  { servers }: Mesh,
  contents: Omit<MeshShape, "clusters" | "targets">,
  label: Readonly<Record<string, string>>,
): void {
  for (const server of servers.values()) {
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
}

/** The same clusters, of which one is that stack's. */
function stackOf(mesh: Mesh, source: string): Mesh {
  const stack = new Mesh([], { ...mesh.config, sources: [source] });
  for (const [name, server] of mesh.servers) stack.servers.set(name, server);
  return stack;
}
