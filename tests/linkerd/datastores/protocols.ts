import assert from "node:assert/strict";

import { config } from "./config.ts";
import { askMysql, askRpc, assertAllAnswered, holdMysql, holdRpc, times } from "./asking.ts";
import { verify } from "../traffic/asking.ts";
import type { Mesh } from "../traffic/mesh.ts";
import { otherPorts } from "./workloads.ts";

/** Names of the Services in east, and the pods that answer. */
const paths = {
  gateway: { service: (name: string) => `${name}-west`, clusters: ["west"] },
  flat: { service: (name: string) => `${name}-north`, clusters: ["north"] },
  federated: { service: (name: string) => `${name}-federated`, clusters: ["west", "north"] },
} as const;

/** Protocol detection waits so long for the client, in milliseconds. */
const detection = 10_000;

/** Tests requests of MySQL, whose servers speak first, and of gRPC. */
export function testProtocols(theMesh: () => Mesh): void {
  for (const [path, { service, clusters }] of Object.entries(paths)) {
    it(`MySQL answers: ${path}`, async () => {
      const answers = await askMysql(theMesh(), service("mysql"));
      assertAllAnswered(answers, ...podsIn(clusters, mysqlNumbers, "mysql", 2));
      assert.equal(answers.sent, times);
    });

    for (const kind of ["unary", "stream"] as const)
      it(`gRPC answers: ${path}, ${kind}`, async () => {
        const { sent, failed, pods } = await askRpc(theMesh(), kind, service("rpc"));
        assert.deepEqual(failed, []);
        assert.equal(sent, times);
        const possible = podsIn(clusters, identity, "rpc", 3);
        const found = Object.keys(pods).sort();
        // Proxies balance each request, and a stream is a single one.
        if (kind === "unary") assert.deepEqual(found, possible);
        else assert.ok(found.length === 1 && possible.includes(found[0] ?? ""), found.join());
      });
  }

  it("verify asks each kind of mirror for each of these protocols", async () => {
    // A busy machine takes longer to start each pod.
    const all = await verify(theMesh(), "--all", "--timeout", "5m");
    const answers = all.filter(({ source }) => source === "east");
    for (const { hop, why, service } of answers) assert.equal(hop, undefined, `${service}: ${why}`);
    const asked = answers.map(({ part, protocol = "" }) => `${part} ${protocol}`);
    for (const part of ["west", "north", "federated"])
      for (const protocol of ["h2c", "opaque"])
        assert.ok(asked.includes(`${part} ${protocol}`), asked.join());
  });

  it("MySQL and gRPC answer by the name of a pod", async () => {
    for (const pod of ["0", "1"]) {
      const answers = await askMysql(theMesh(), `mysql-${pod}.mysql-pods-west`);
      assertAllAnswered(answers, `1/mysql-${pod}`);
      for (const kind of ["unary", "stream"] as const)
        assertAllAnswered(
          await askRpc(theMesh(), kind, `rpc-${pod}.rpc-pods-west`),
          `west/rpc-${pod}`,
        );
    }
  });

  it("a client that balances over the records of a headless mirror reaches all pods", async () => {
    const answers = await askRpc(theMesh(), "balance", "rpc-pods-west");
    assertAllAnswered(answers, ...podsIn(["west"], identity, "rpc", 3));
    for (const count of Object.values(answers.pods)) assert.ok(count >= 10, String(count));
  });

  for (const name of ["usual", "declared"] as const)
    it(`MySQL answers on a port that is ${name === "usual" ? "opaque by default" : "opaque by its appProtocol"}`, async () => {
      const { port } = otherPorts[name];
      const answers = await askMysql(theMesh(), `${name}-west`, { port });
      assertAllAnswered(answers, "1/mysql-0", "1/mysql-1");
    });

  it("a connection to an unmarked port on which the server speaks first waits for ten seconds", async () => {
    const { port } = otherPorts.unmarked;
    const begun = Date.now();
    const { failed } = await askMysql(theMesh(), "unmarked-west", { port, times: 3 });
    const each = (Date.now() - begun) / 3;
    console.log(`      ${(each / 1000).toFixed(1)} s for each connection`);
    assert.deepEqual(failed, []);
    assert.ok(each > detection && each < 3 * detection, String(each));
  });

  it("connections and streams live through runs that change the mesh", async () => {
    const { stack, up } = theMesh();
    const services = ["west", "north", "federated"];
    const held = [
      ...[...services.map((name) => `mysql-${name}`), "mysql-0.mysql-pods-west"].map((name) => {
        return holdMysql(theMesh(), name);
      }),
      ...[...services.map((name) => `rpc-${name}`), "rpc-0.rpc-pods-west"].map((name) => {
        return holdRpc(theMesh(), name);
      }),
    ];
    for (const change of [{ credentialsGeneration: 2 }, {}]) {
      await stack.configure(config({ links: change }));
      await up();
    }
    for (const each of held) {
      const lines = await each.end();
      assert.ok(lines.length >= times, String(lines.length));
      // Each line names the pod, and with MySQL the connection.
      assert.deepEqual([...new Set(lines)].length, 1, [...new Set(lines)].join("\n"));
    }
  });
}

const mysqlNumbers = { west: "1", north: "2" } as const;
const identity = { west: "west", north: "north" } as const;

function podsIn(
  clusters: readonly ("west" | "north")[],
  called: Readonly<Record<"west" | "north", string>>,
  set: string,
  replicas: number,
): readonly string[] {
  return clusters
    .flatMap((cluster) =>
      Array.from({ length: replicas }, (_, index) => `${called[cluster]}/${set}-${index}`),
    )
    .sort();
}
