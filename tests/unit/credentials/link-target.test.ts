import assert from "node:assert/strict";
import {
  checkTarget,
  isSameTarget,
  settleTarget,
} from "../../../engine/credentials/link-target.ts";
import type { TargetArgs, TargetFacts } from "../../../engine/credentials/state.ts";
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
      failures: [],
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
      const { inputs, failures } = await checkTarget(reading(result), {}, args);
      assert.deepEqual(failures, []);
      assert.equal("facts" in inputs, false);
      assert.match(inputs.remark ?? "", /^read when the run gets there, because now /);
    });

    it(`is what it was, with ${what} later`, async () => {
      const { inputs, failures, notes } = await checkTarget(
        reading(result),
        { ...args, facts },
        args,
      );
      assert.deepEqual(failures, []);
      assert.deepEqual(inputs.facts, facts);
      assert.match(notes.join(), /^as in the run before, because /);
    });
  }

  it("is not what it was when the question changed", async () => {
    const asked = { ...args, apiServer: "https://10.0.0.1" };
    const { inputs } = await checkTarget(reading(outage), { ...args, facts }, asked);
    assert.equal("facts" in inputs, false);
  });

  it("is a failure where the user has to mend something", async () => {
    const mistaken = reading({ outcome: "mistaken", why: "cluster west: no context" });
    const { failures } = await checkTarget(mistaken, { ...args, facts }, args);
    assert.deepEqual(failures, [{ property: "target", reason: "cluster west: no context" }]);
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
  const slept: number[] = [];
  const patience = {
    within: 10,
    every: 5,
    sleep: (milliseconds: number) => Promise.resolve(slept.push(milliseconds)),
  };
  const answers = (...results: TargetReading[]) => {
    let next = 0;
    return () => Promise.resolve(results[Math.min(next++, results.length - 1)] ?? outage);
  };
  beforeEach(() => slept.splice(0));

  it("takes what the check has found", async () => {
    assert.equal(await settleTarget(answers(outage), {}, { ...args, facts }, patience), facts);
  });

  it("waits for a load balancer's address", async () => {
    assert.equal(
      await settleTarget(answers(noAddress, noAddress, found), {}, args, patience),
      facts,
    );
    assert.deepEqual(slept, [5, 5]);
  });

  it("gives up waiting in the end, and at once on what does not come by itself", async () => {
    await assert.rejects(settleTarget(answers(noAddress), {}, args, patience), {
      message: "link east/west: no address yet",
    });
    assert.deepEqual(slept, [5, 5]);
    await assert.rejects(settleTarget(answers(noLinkerd), {}, args, patience), {
      message: "link east/west: there is no Linkerd",
    });
    assert.deepEqual(slept, [5, 5]);
  });

  it("goes on with what it knew before, in an outage", async () => {
    assert.equal(await settleTarget(answers(outage), { ...args, facts }, args, patience), facts);
  });

  it("does not, if the user has to mend something", async () => {
    const mistaken: TargetReading = { outcome: "mistaken", why: "no context" };
    await assert.rejects(settleTarget(answers(mistaken), { ...args, facts }, args, patience));
  });
});
