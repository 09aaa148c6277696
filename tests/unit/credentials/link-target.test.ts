import assert from "node:assert/strict";
import {
  checkTarget,
  type ReadTarget,
  isSameTarget,
  settleTarget,
} from "../../../engine/credentials/link-target.ts";
import type {
  TargetArgs,
  TargetFacts,
  TargetInputs,
  TargetOutputs,
} from "../../../engine/credentials/state.ts";
import { FakeTime } from "../kubernetes/scripted-cluster.ts";
import type { TargetReading } from "../../../engine/credentials/target.ts";

const args: TargetArgs = {
  source: "east",
  target: "west",
  access: { context: "k3d-west" },
  targetDomain: "cluster.local",
  gateway: { namespace: "linkerd-multicluster", name: "linkerd-gateway" },
  linkerdNamespace: "linkerd",
  multiclusterNamespace: "linkerd-multicluster",
  rotation: { generation: 1 },
};
const facts: TargetFacts = {
  server: "https://west.example.com",
  trustDomain: "cluster.local",
  clusterDomain: "cluster.local",
  token: "linkerd-multicluster-access-east-token-1-1",
};
const found: TargetReading = { outcome: "read", facts, notes: ["a note"] };
const outage: TargetReading = { outcome: "unreachable", why: "cluster west can't be reached" };
const noLinkerd: TargetReading = { outcome: "missing", why: "there is no Linkerd", soon: false };
const noAddress: TargetReading = { outcome: "missing", why: "no address yet", soon: true };

const reading = (result: TargetReading) => () => Promise.resolve(result);

describe("what a link knows of its target", () => {
  it("is in the inputs, where a preview shows it", async () => {
    assert.deepEqual(await checkTarget(reading(found), {}, args), {
      inputs: { ...args, facts },
      notes: ["a note"],
    });
  });

  it("says why there is going to be a new token", async () => {
    const rotating = reading({ ...found, rotates: "the old one is old" });
    const { inputs } = await checkTarget(rotating, {}, args);
    assert.equal(inputs.remark, "new token: the old one is old");
  });

  it("asks about the token of the run before", async () => {
    const asked: unknown[] = [];
    const read = (_: TargetArgs, before: string | undefined) => {
      asked.push(before);
      return Promise.resolve(found);
    };
    await checkTarget(read, {}, args);
    await checkTarget(read, { ...args, facts }, args);
    assert.deepEqual(asked, [undefined, facts.token]);
  });

  for (const [what, result] of Object.entries({ outage, noLinkerd, noAddress })) {
    it(`is left open and is no failure at first, with ${what}`, async () => {
      const { inputs, mistake } = await checkTarget(reading(result), {}, args);
      assert.equal(mistake, undefined);
      assert.equal("facts" in inputs, false);
      assert.match(inputs.remark ?? "", /^known after the update, because now /);
    });

    it(`is what it was, with ${what} later`, async () => {
      const { inputs, mistake, notes } = await checkTarget(
        reading(result),
        { ...args, facts },
        args,
      );
      assert.equal(mistake, undefined);
      assert.deepEqual(inputs.facts, facts);
      assert.match(notes.join(), /^kept from the last run, because /);
    });
  }

  it("is not what it was when the question changed", async () => {
    const asked = { ...args, apiServer: "https://10.0.0.1" };
    const { inputs } = await checkTarget(reading(outage), { ...args, facts }, asked);
    assert.equal("facts" in inputs, false);
  });

  it("is what it was when only another token is due, which waits for the target", async () => {
    const asked = { ...args, rotation: { generation: 2 } };
    const { inputs } = await checkTarget(reading(outage), { ...args, facts }, asked);
    assert.equal(inputs.facts?.token, facts.token);
  });

  it("is a mistake where the user has to fix something", async () => {
    const invalid = reading({ outcome: "invalid", why: "cluster west: no context" });
    const { mistake } = await checkTarget(invalid, { ...args, facts }, args);
    assert.equal(mistake, "cluster west: no context");
  });

  it("is the same if question and answer are, whatever else state holds", () => {
    const state = { ...args, facts, __provider: "code" };
    assert(isSameTarget(state, { ...args, facts, remark: "kept" }));
    assert(!isSameTarget(state, { ...args, facts: { ...facts, token: "other" } }));
    assert(!isSameTarget(state, { ...args, facts, apiServer: "https://10.0.0.1" }));
    assert(!isSameTarget(state, args));
    assert(!isSameTarget({}, { ...args, facts }));
  });
});

describe("a run that needs to know its target", () => {
  let time = new FakeTime();
  const settled = (read: ReadTarget, olds: Partial<TargetOutputs>, inputs: TargetInputs) =>
    settleTarget(read, olds, inputs, { within: 10_000, every: 5_000, time });
  const answers = (...results: TargetReading[]) => {
    let next = 0;
    return () => Promise.resolve(results[Math.min(next++, results.length - 1)] ?? outage);
  };
  beforeEach(() => {
    time = new FakeTime();
  });

  it("takes what the check has found", async () => {
    assert.equal(await settled(answers(outage), {}, { ...args, facts }), facts);
  });

  it("waits for a load balancer's address", async () => {
    assert.equal(await settled(answers(noAddress, noAddress, found), {}, args), facts);
    assert.deepEqual(time.slept, [5_000, 5_000]);
  });

  it("stops waiting in the end, and at once for what does not come by itself", async () => {
    await assert.rejects(settled(answers(noAddress), {}, args), {
      message: "link east/west: after 10 s, no address yet",
    });
    assert.deepEqual(time.slept, [5_000, 5_000]);
    await assert.rejects(settled(answers(noLinkerd), {}, args), {
      message: "link east/west: there is no Linkerd",
    });
    assert.deepEqual(time.slept, [5_000, 5_000]);
  });

  it("goes on with what it knew before, in an outage", async () => {
    assert.equal(await settled(answers(outage), { ...args, facts }, args), facts);
  });

  it("does not, if the user has to fix something", async () => {
    const invalid: TargetReading = { outcome: "invalid", why: "no context" };
    await assert.rejects(settled(answers(invalid), { ...args, facts }, args));
  });
});
