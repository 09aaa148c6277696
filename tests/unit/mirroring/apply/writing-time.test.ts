import assert from "node:assert/strict";
import { inWritingTime, writingTime } from "../../../../engine/mirroring/apply/writing-time.ts";
import { resources } from "../../../../engine/kubernetes/objects/resources.ts";
import { MemoryCluster } from "../../fixtures/memory-cluster.ts";
import { cluster, namespace } from "../../fixtures/objects.ts";
import { FakeTime } from "../../kubernetes/scripted-cluster.ts";

const { base, each } = writingTime;

describe("the time to write to a source", () => {
  const make = () => {
    const time = new FakeTime();
    const memory = new MemoryCluster(cluster("east"));
    return { time, memory, limited: inWritingTime(memory, 10, time) };
  };

  it("is longer the more there is to write, and no write begins after it", async () => {
    const { time, memory, limited } = make();
    time.pass(base + 10 * each - 1);
    await limited.create(resources.namespaces, namespace("shop"));
    time.pass(1);
    const at = { name: "shop" };
    const fields = { metadata: at };
    const writes = [
      () => limited.create(resources.namespaces, namespace("bank")),
      () => limited.replace(resources.namespaces, namespace("shop")),
      () => limited.apply(resources.namespaces, fields, { fieldManager: "us" }),
      () => limited.patch(resources.namespaces, at, {}),
      () => limited.remove(resources.namespaces, at),
    ];
    for (const write of writes)
      await assert.rejects(write, {
        notAttempted: "cluster east is so slow that the time to write to it, 120.5 s, is over",
      });
    assert.deepEqual(memory.writes, ["create namespaces shop"]);
  });

  it("does not keep anybody from reading", async () => {
    const { time, limited } = make();
    time.pass(base + 10 * each);
    assert.equal((await limited.list(resources.services)).length, 1);
  });
});
