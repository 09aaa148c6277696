import { deepEqual } from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import type { Answer, Sent } from "../../../simulation/answering-dispatcher.ts";
import { MemoryCluster } from "../../fixtures/memory-cluster.ts";
import { cluster, endpoints, headless, pods } from "../../fixtures/objects.ts";
import { argsFor, exporting, up } from "../../fixtures/world.ts";

/** Tells of each Endpoints written which others were being written when it began. */
class Overlapping extends MemoryCluster {
  readonly meanwhile: Record<string, string[]> = {};
  readonly #inFlight = new Set<string>();

  protected override async answer(sent: Sent): Promise<Answer> {
    if (sent.method === "GET" || !sent.path.includes("/endpoints")) return super.answer(sent);
    const { metadata } = JSON.parse(sent.body as string) as { metadata: { name: string } };
    this.#inFlight.add(metadata.name);
    // All that does not wait for this one has begun by then.
    for (let rounds = 0; rounds < 5; rounds++) await turn();
    const others = [...this.#inFlight].filter((other) => other !== metadata.name);
    this.meanwhile[metadata.name] = others.sort();
    for (let rounds = 0; rounds < 5; rounds++) await turn();
    this.#inFlight.delete(metadata.name);
    return super.answer(sent);
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
      "db-0-west": ["db-1-west", "db-west"],
      "db-1-west": ["db-0-west", "db-west"],
      "db-west": ["db-0-west", "db-1-west"],
    });
  });

  it("has those of one that clients use already after those of a new pod's mirror", async () => {
    const first = empty();
    await up({ east: first, west: west("db-0", "db-1") }, args);
    const east = new Overlapping(await first.snapshot());
    await up({ east, west: west("db-0", "db-1", "db-2") }, args);
    deepEqual(east.meanwhile, { "db-2-west": [], "db-west": [] });
    deepEqual(
      east.writes.filter((write) => write.includes("endpoints")),
      ["create endpoints shop/db-2-west", "update endpoints shop/db-west"],
    );
  });
});
