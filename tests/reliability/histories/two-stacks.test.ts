import assert from "node:assert/strict";

import fc from "fast-check";

import { ApiServer } from "../../simulation/api-server.ts";
import { Mesh } from "../../simulation/mesh.ts";
import { managersOf } from "../../simulation/outcome.ts";
import { gatewayService } from "../../unit/fixtures/objects.ts";
import { count, repeated } from "../effort.ts";
import { type Denial, denials } from "./actions.ts";

const exported = "mirror.linkerd.io/exported";
const federated = "mirror.linkerd.io/federated";
const stacks = ["one", "two"] as const;

const service = fc.record({
  cluster: fc.constantFrom("west", "north", "east"),
  namespace: fc.constantFrom("a", "b"),
  labels: fc.constantFrom<Readonly<Record<string, string>>>(
    {},
    { [exported]: "true" },
    { [federated]: "member" },
    { [exported]: "true", [federated]: "member", team: "x" },
  ),
  ports: fc.constantFrom([80], [80, 443], [8080, 443]),
  /** The exporter keeps the other ports to itself. */
  only: fc.constantFrom(undefined, "80", "443"),
});

const action = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("put" as const), service }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("drop" as const), service }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom("up" as const, "refresh" as const),
      stack: fc.constantFrom(...stacks),
      denied: fc.constantFrom(undefined, undefined, ...(Object.keys(denials) as Denial[])),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("exclude" as const),
      stack: fc.constantFrom(...stacks),
      labels: fc.constantFrom([], ["team"]),
    }),
  },
);

type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

/** Two stacks share the link from east to west by namespaces, and both have members of east's federated Services. */
class TwoStacks {
  readonly #servers = ["east", "west", "north"].map((name) => new ApiServer(name));
  readonly #meshes: Readonly<Record<(typeof stacks)[number], Mesh>>;

  constructor() {
    for (const [index, server] of this.#servers.entries()) {
      for (const name of ["a", "b"]) server.put("namespaces", { metadata: { name } });
      server.put("services", gatewayService(server.name, `192.0.2.${index + 1}`));
      server.journal.length = 0;
    }
    const mesh = (stack: string, ...links: readonly object[]) => {
      const made = Mesh.of(this.#servers, { links, linkDefaults: { allowDeletions: true } });
      made.stack = `organization/mesh/${stack}`;
      return made;
    };
    const west = { source: "east", target: "west" };
    this.#meshes = {
      one: mesh(
        "one",
        { ...west, namespaces: ["a"] },
        { source: "east", target: "north", namespaces: ["b"] },
      ),
      two: mesh(
        "two",
        { ...west, namespaces: ["b"] },
        { source: "east", target: "north", namespaces: ["a"] },
      ),
    };
  }

  async take(taken: Action): Promise<void> {
    switch (taken.do) {
      case "put": {
        this.#put(taken.service);
        return;
      }
      case "drop": {
        this.#server(taken.service.cluster).delete("services", `${taken.service.namespace}/web`);
        return;
      }
      case "exclude": {
        const mesh = this.#meshes[taken.stack];
        mesh.config = {
          ...mesh.config,
          linkDefaults: { allowDeletions: true, excludedLabels: taken.labels },
        };
        return;
      }
      default: {
        const { denied } = taken;
        for (const server of this.#servers)
          server.refuse = (line) =>
            denied !== undefined && denials[denied].test(line) ? "forbidden" : undefined;
        await this.run(taken.stack, taken.do);
        for (const server of this.#servers) server.refuse = () => undefined;
      }
    }
  }

  /** Runs a stack, which deletes nothing that only the other one has marked, and returns what it wrote. */
  async run(stack: (typeof stacks)[number], what: "up" | "refresh"): Promise<readonly string[]> {
    const mesh = this.#meshes[stack];
    const marks = this.#servers.map((server) => server.journal.length);
    await (what === "up" ? mesh.up() : mesh.refresh());
    const other = stack === "one" ? "two" : "one";
    return this.#servers.flatMap((server, index) => {
      const entries = server.journal.slice(marks[index]);
      for (const { verb, plural, key, before } of entries) {
        if (verb !== "delete" || plural !== "services" || before === undefined) continue;
        const marked = managersOf(before).filter((each) => each.includes("/mesh/"));
        const isOthers =
          marked.length > 0 && marked.every((each) => each.includes(`/mesh/${other}`));
        assert.ok(!isOthers, `stack ${stack} deletes ${key}, which is the other's`);
      }
      return entries
        .filter(({ by }) => by === "linkerd-multicluster")
        .map(({ verb, plural, key }) => `${stack}: ${verb} ${plural} ${key}`);
    });
  }

  #put({
    cluster,
    namespace,
    labels,
    ports,
    only,
  }: Extract<Action, { do: "put" }>["service"]): void {
    this.#server(cluster).put("services", {
      metadata: {
        namespace,
        name: "web",
        labels,
        annotations: only === undefined ? {} : { "linkerd-multicluster/ports": only },
      },
      spec: { ports: ports.map((port) => ({ name: `p${port}`, port })) },
    });
  }

  #server(name: string): ApiServer {
    return this.#servers.find((server) => server.name === name) ?? assert.fail(name);
  }
}

describe("two stacks that share a link and federated Services", () => {
  it("come to rest within three rounds, and never delete what is the other's", async function () {
    this.timeout(0);
    const property = fc.asyncProperty(
      fc.array(action, { minLength: 2, maxLength: 14, size: "max" }),
      fc.boolean(),
      async (actions, isReversed) => {
        const both = new TwoStacks();
        for (const each of actions) await both.take(each);
        const order = isReversed ? stacks.toReversed() : stacks;
        for (let round = 1; ; round += 1) {
          const writes: string[] = [];
          for (const stack of order) writes.push(...(await both.run(stack, "up")));
          if (writes.length === 0) break;
          assert.ok(round <= 3, `round ${round} still writes ${writes.join(", ")}`);
        }
        count("histories of two stacks");
      },
    );
    await fc.assert(property, { numRuns: repeated(100) });
  });
});
