import { deepEqual, equal, match, rejects } from "node:assert/strict";
import {
  awaitHostnames,
  checkTarget,
  isSameTarget,
  settleTarget,
} from "../../../engine/credentials/link-target.ts";
import type { TargetArgs, TargetFacts } from "../../../engine/credentials/state.ts";
import type { TargetReading } from "../../../engine/credentials/target.ts";
import { UserError } from "../../../engine/user-error.ts";
import { VirtualTime } from "../../simulation/time.ts";
import { link } from "../fixtures/link.ts";

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
const known = { ...args, facts };
const adopt = { spec: link(), mirroring: "pulumi" as const };
const elsewhere = { ...args, apiServer: "https://10.0.0.1" };
const found = { value: { facts, notes: ["a note"] } };
const outage: TargetReading = { why: "cluster west can't be reached", cause: "unreachable" };
const noLinkerd: TargetReading = { why: "there is no Linkerd", cause: "refused" };
const noAddress: TargetReading = { why: "no address yet", cause: "refused", soon: true };
const invalid: TargetReading = { why: "cluster west: no context", cause: "invalid" };

const reading = (result: TargetReading) => () => Promise.resolve(result);

describe("what a link knows of its target", () => {
  it("is in the inputs, where a preview shows it", async () => {
    const checked = await checkTarget(reading(found), {}, args);
    deepEqual(checked, { inputs: known, notes: ["a note"] });
  });

  it("says why there is going to be a new token", async () => {
    const rotating = reading({ value: { ...found.value, rotates: "the old one is old" } });
    const { inputs } = await checkTarget(rotating, {}, args);
    equal(inputs.remark, "new token: the old one is old");
  });

  it("asks about the token of the run before", async () => {
    const asked: unknown[] = [];
    const read = (_: TargetArgs, before: string | undefined) => {
      asked.push(before);
      return Promise.resolve(found);
    };
    for (const olds of [{}, known]) await checkTarget(read, olds, args);
    deepEqual(asked, [undefined, facts.token]);
  });

  it("compares existing objects until a run has adopted them, also where one without adopt came first", async () => {
    const asked: boolean[] = [];
    const read = ({ adopt }: TargetArgs) => {
      asked.push(adopt !== undefined);
      return Promise.resolve(found);
    };
    for (const olds of [{}, known, { ...known, adopt }])
      deepEqual((await checkTarget(read, olds, { ...args, adopt })).inputs.adopt, adopt);
    deepEqual(asked, [true, true, false]);
  });

  for (const [what, result] of Object.entries({ outage, noLinkerd, noAddress })) {
    it(`is left open and is no failure at first, with ${what}`, async () => {
      const { inputs, mistake } = await checkTarget(reading(result), {}, args);
      deepEqual([mistake, "facts" in inputs], [undefined, false]);
      match(inputs.remark ?? "", /^known after the update, because now /);
    });

    it(`is what it was, with ${what} later`, async () => {
      const { inputs, mistake, notes } = await checkTarget(reading(result), known, args);
      deepEqual([mistake, inputs.facts], [undefined, facts]);
      match(notes.join(), /^kept from the last run, because /);
    });
  }

  it("is not what it was when the question changed, but when only another token is due", async () => {
    const rotated = { ...args, rotation: { generation: 2 } };
    for (const [asked, expected] of [
      [elsewhere, undefined],
      [rotated, facts],
    ] as const) {
      const { inputs } = await checkTarget(reading(outage), known, asked);
      deepEqual(inputs.facts, expected);
    }
  });

  it("is a mistake where the user has to fix something", async () => {
    const { mistake } = await checkTarget(reading(invalid), known, args);
    equal(mistake, "cluster west: no context");
  });

  it("is the same if question and answer are, whatever else state holds", () => {
    const state = { ...known, __provider: "code" };
    for (const [olds, news, expected] of [
      [state, { ...known, remark: "kept" }, true],
      [state, { ...args, facts: { ...facts, token: "other" } }, false],
      [state, { ...elsewhere, facts }, false],
      [state, args, false],
      [state, { ...known, adopt }, false],
      [{ ...state, adopt }, known, false],
      [{ ...state, adopt }, { ...known, adopt: { ...adopt, mirroring: "controller" } }, true],
      [{}, known, false],
    ] as const)
      equal(isSameTarget(olds, news), expected);
  });
});

describe("a run that needs to know its target", () => {
  for (const [name, answers, [olds, inputs], expected, waits] of [
    ["takes what the check has found", [outage], [{}, known], undefined, 0],
    ["waits for an address", [noAddress, noAddress, found], [{}, args], undefined, 2],
    [
      "but not for ever",
      [noAddress],
      [{}, args],
      "link east → west: after 10 s, no address yet",
      2,
    ],
    ["nor for Linkerd", [noLinkerd], [{}, args], "link east → west: there is no Linkerd", 0],
    ["goes on with what it knew before, in an outage", [outage], [known, args], undefined, 0],
    [
      "but not if the user has to fix something",
      ...([[invalid], [known, args], "link east → west: cluster west: no context", 0] as const),
    ],
  ] as const)
    it(name, async () => {
      const time = new VirtualTime();
      let next = 0;
      const read = () => Promise.resolve(answers[Math.min(next++, answers.length - 1)] ?? outage);
      const said: string[] = [];
      const polling = { within: 10_000, every: 5_000, time };
      const settling = settleTarget(read, olds, inputs, polling, (line) => said.push(line));
      if (expected === undefined) equal(await settling, facts);
      else await rejects(settling, { message: expected });
      equal(time.now(), waits * 5_000);
      const waiting = "link east → west: waiting for up to 10 s, because no address yet";
      deepEqual(said, waits === 0 ? [] : [waiting]);
    });
});

describe("a run whose target has just got a load balancer", () => {
  const named = "lb.example.com";
  const gateway = { addresses: [named], port: 4143, identity: "gateway.west" };

  /** What the run says while DNS gets the name after so many attempts. */
  async function said(after: number, addresses: readonly string[] = [named]) {
    const time = new VirtualTime();
    const [lines, asked]: [string[], string[]] = [[], []];
    const resolve = (name: string) => {
      asked.push(name);
      return asked.length > after
        ? Promise.resolve(["192.0.2.7"])
        : Promise.reject(new UserError("DNS has no address for it"));
    };
    const polling = { within: 120_000, every: 5_000, time };
    const seen = { ...facts, gateway: { ...gateway, addresses } };
    await awaitHostnames(args, seen, resolve, polling, (line) => lines.push(line));
    return { lines, asked, seconds: time.now() / 1_000 };
  }
  const waiting = (seconds: number) =>
    `link east → west: waiting for up to ${seconds} s, because DNS has no address for the gateway's hostname ${named} yet`;

  it("asks DNS for the complete name, and once if it has it", async () => {
    deepEqual(await said(0), { lines: [], asked: [`${named}.`], seconds: 0 });
  });

  it("asks nothing about IP addresses", async () => {
    deepEqual(await said(9, ["192.0.2.7"]), { lines: [], asked: [], seconds: 0 });
  });

  it("goes on with one of several addresses", async () => {
    deepEqual((await said(1, [named, "other.example.com"])).seconds, 0);
    deepEqual((await said(99, [named, "192.0.2.7"])).seconds, 0);
  });

  it("waits until DNS has the name, and tells the rest of the time every minute", async () => {
    const { lines, seconds } = await said(14);
    deepEqual([lines, seconds], [[waiting(120), waiting(60)], 70]);
  });

  it("goes on without it in the end, and says what is left", async () => {
    const { lines, seconds } = await said(99);
    equal(seconds, 120);
    deepEqual(lines.slice(0, 2), [waiting(120), waiting(60)]);
    deepEqual(
      lines.at(-1),
      `link east → west: DNS still has no address for the gateway's hostname ${named}: its gateway mirrors wait for a later run, and everything else is done`,
    );
  });
});
