import { deepEqual } from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import type { WriteOptions } from "../../../../engine/kubernetes/client/interface.ts";
import type { Located, Resource } from "../../../../engine/kubernetes/objects/resources.ts";
import { MemoryCluster } from "../../fixtures/memory-cluster.ts";
import { cluster, endpoints, headless, pods } from "../../fixtures/objects.ts";
import { argsFor, exporting, up } from "../../fixtures/world.ts";

/** Tells of each Endpoints written which others were being written when it began. */
class Overlapping extends MemoryCluster {
  readonly meanwhile: Record<string, string[]> = {};
  readonly #inFlight = new Set<string>();

  override create<T extends Located>(resource: Resource<T>, object: T, options?: WriteOptions) {
    return this.#write(resource, object, () => super.create(resource, object, options));
  }

  override replace<T extends Located>(resource: Resource<T>, object: T, options?: WriteOptions) {
    return this.#write(resource, object, () => super.replace(resource, object, options));
  }

  async #write<T extends Located>(
    { plural }: Resource<T>,
    { metadata }: T,
    send: () => Promise<T>,
  ): Promise<T> {
    if (plural !== "endpoints") return send();
    const key = `${metadata?.namespace ?? ""}/${metadata?.name ?? ""}`;
    this.#inFlight.add(key);
    // All that does not wait for this one has begun by then.
    await turn();
    this.meanwhile[key] = [...this.#inFlight].filter((other) => other !== key).sort();
    await turn();
    this.#inFlight.delete(key);
    return send();
  }
}

describe("the order of writes", () => {
  const args = argsFor([{ target: "west", headless: true }]);
  const west = (...names: string[]) =>
    new MemoryCluster(
      exporting("west", [headless("shop/db")], {
        endpoints: [endpoints("shop/db", [pods(names)])],
      }),
    );
  const empty = () => new Overlapping(cluster("east", { namespaces: ["shop"] }));

  it("has the Endpoints of a new headless mirror beside those of its pods' mirrors", async () => {
    const east = empty();
    await up({ east, west: west("db-0", "db-1") }, args);
    deepEqual(east.meanwhile, {
      "shop/db-0-west": ["shop/db-1-west", "shop/db-west"],
      "shop/db-1-west": ["shop/db-0-west", "shop/db-west"],
      "shop/db-west": ["shop/db-0-west", "shop/db-1-west"],
    });
  });

  it("has those of one that clients use already after those of a new pod's mirror", async () => {
    const first = empty();
    await up({ east: first, west: west("db-0", "db-1") }, args);
    const east = new Overlapping(await first.snapshot());
    await up({ east, west: west("db-0", "db-1", "db-2") }, args);
    deepEqual(east.meanwhile, { "shop/db-2-west": [], "shop/db-west": [] });
    deepEqual(
      east.writes.filter((write) => write.includes("endpoints")),
      ["create endpoints shop/db-2-west", "update endpoints shop/db-west"],
    );
  });
});
