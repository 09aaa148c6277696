import assert from "node:assert/strict";

import { until } from "../../bed/bed.ts";
import { type Mesh, type Name, names } from "../traffic/mesh.ts";
import { namespace } from "../traffic/workloads.ts";
import { aliasOf, apply, etcdOf } from "./workloads.ts";

/** Tests an etcd with a member in each cluster. Each test continues from the one before. */
export function testEtcd(theMesh: () => Mesh): void {
  it("an etcd of three clusters forms, whose members and clients use one name for each pod", async () => {
    await untilMembers(theMesh(), 3);
    // Every cluster asks every member by the same name, its own as well.
    for (const from of names)
      for (const to of names) {
        await write(theMesh(), from, [`etcd-0-${to}`], `${from}-${to}`);
        for (const other of names)
          assert.equal(await read(theMesh(), other, [`etcd-0-${other}`]), `${from}-${to}`);
      }
  });

  it("it keeps its quorum when it loses the cluster of its leader, which catches up later", async () => {
    const { bed } = theMesh();
    await lead(theMesh(), "etcd-0-north");
    const others = ["etcd-0-west", "etcd-0-east"];
    try {
      await bed.node("north").connect(false);
      const begun = Date.now();
      await until("a new leader", [], async () => {
        await write(theMesh(), "east", others, "first");
        return true;
      });
      console.log(`      a new leader after ${((Date.now() - begun) / 1000).toFixed(1)} s`);
      for (let each = 0; each < 40; each++) {
        await write(theMesh(), each % 2 === 0 ? "east" : "west", others, `without-${each}`);
        assert.equal(await read(theMesh(), "west", others), `without-${each}`);
      }
    } finally {
      await bed.node("north").connect(true);
    }
    await until("north to catch up", [], async () => {
      return (await read(theMesh(), "north", ["etcd-0-north"], "s")) === "without-39" || undefined;
    });
  });

  it("a fourth member joins in a cluster that has one", async () => {
    const { rolledOut, up } = theMesh();
    await apply(theMesh(), "east", aliasOf("etcd-1", "east"));
    const add = ["member", "add", "etcd-1-east", "--peer-urls=http://etcd-1-east.shop:2380"];
    // The leader takes nobody in until it has been connected with all members for five seconds.
    await until("the others to take in a member", [], () =>
      etcdctl(theMesh(), "east", ["etcd-0-east"], add),
    );
    const grown = etcdOf("east")
      .replace("STATE: new", "STATE: existing")
      .replace(/(etcd-0-north=\S+)/, "$1,etcd-1-east=http://etcd-1-east.shop:2380")
      .replace("replicas: 1", "replicas: 2");
    await apply(theMesh(), "east", grown);
    await rolledOut("east");
    await up();
    await untilMembers(theMesh(), 4);
    await write(theMesh(), "north", ["etcd-1-east"], "by the fourth");
    assert.equal(await read(theMesh(), "west", ["etcd-0-west"]), "by the fourth");
  });
}

/** Waits until so many members have started and each of them is healthy, as the client of each cluster sees it. */
export function untilMembers(mesh: Mesh, count: number): Promise<true> {
  return until(`${count} healthy members`, [], async () => {
    for (const from of names) {
      const words = ["endpoint", "health", "--cluster", "--write-out=json"];
      const healthy = await etcdctl(mesh, from, [`etcd-0-${from}`], words);
      if ((JSON.parse(healthy) as readonly object[]).length !== count) return undefined;
    }
    return true as const;
  });
}

/** Makes a member the leader. */
async function lead(mesh: Mesh, member: string): Promise<void> {
  const all = names.map((name) => `etcd-0-${name}`);
  const ask = (...words: readonly string[]) => etcdctl(mesh, "east", all, words);
  const list = (await ask("member", "list")).split("\n").map((line) => line.split(", "));
  const [id = ""] = list.find(([, , name]) => name === member) ?? [];
  await ask("move-leader", id);
}

async function write(mesh: Mesh, from: Name, to: readonly string[], value: string): Promise<void> {
  await etcdctl(mesh, from, to, ["put", "key", value]);
}

/** @param consistency is `s` for what the member itself has */
function read(
  mesh: Mesh,
  from: Name,
  to: readonly string[],
  consistency: "l" | "s" = "l",
): Promise<string> {
  const words = ["get", "key", "--print-value-only", `--consistency=${consistency}`];
  return etcdctl(mesh, from, to, words);
}

function etcdctl(
  { kubectl }: Mesh,
  from: Name,
  to: readonly string[],
  words: readonly string[],
): Promise<string> {
  const endpoints = to.map((name) => `http://${name}.${namespace}:2379`).join(",");
  return kubectl(
    from,
    ...["exec", `--namespace=${namespace}`, "etcd-0", "--container=etcd", "--"],
    ...["etcdctl", `--endpoints=${endpoints}`, ...words],
  );
}
