import assert from "node:assert/strict";
import {
  type Writer,
  inWritingTime,
  writingTime,
} from "../../../../engine/mirroring/apply/writing-time.ts";
import { resources } from "../../../../engine/kubernetes/objects/resources.ts";
import { MemoryCluster } from "../../fixtures/memory-cluster.ts";
import { cluster, namespace } from "../../fixtures/objects.ts";
import { FakeTime } from "../../kubernetes/scripted-cluster.ts";

const { namespaces } = resources;
const at = { name: "bank" };
const calls: [name: string, call: (writer: Writer) => Promise<unknown>][] = [
  ["create", (writer) => writer.create(namespaces, namespace("bank"))],
  ["replace", (writer) => writer.replace(namespaces, namespace("bank"))],
  ["patch", (writer) => writer.patch(namespaces, at, {})],
  ["remove", (writer) => writer.remove(namespaces, at)],
];

describe("the time to write to a source", () => {
  for (const [name, call] of calls)
    it(`is longer the more there is to write, and no ${name} begins after it`, async () => {
      const time = new FakeTime();
      const memory = new MemoryCluster(cluster("east"));
      const limited = inWritingTime(await memory.client(), 10, time);
      time.pass(writingTime.base + 10 * writingTime.each - 1);
      await limited.create(namespaces, namespace("shop"));
      time.pass(1);
      await assert.rejects(call(limited), {
        notAttempted: "cluster east is so slow that the time to write to it, 120.5 s, is over",
      });
      assert.deepEqual(memory.writes, ["create namespaces shop"]);
      assert.equal(await limited.find(namespaces, at), undefined);
    });
});
