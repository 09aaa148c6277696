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

describe("checking a link's target", () => {
  it("puts the facts into the inputs, where a preview shows them", async () => {
    const checked = await checkTarget(reading(found), {}, args);
    deepEqual(checked, { inputs: known, notes: ["a note"] });
  });

  it("says why the token will be replaced", async () => {
    const rotating = reading({ value: { ...found.value, rotates: "the old one is old" } });
    const { inputs } = await checkTarget(rotating, {}, args);
    equal(inputs.remark, "new token: the old one is old");
  });

  it("passes on the token of the previous run", async () => {
    const asked: unknown[] = [];
    const read = (_: TargetArgs, before: string | undefined) => {
      asked.push(before);
      return Promise.resolve(found);
    };
    for (const olds of [{}, known]) await checkTarget(read, olds, args);
    deepEqual(asked, [undefined, facts.token]);
  });

  it("compares existing objects until a run has adopted them", async () => {
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
    it(`leaves the facts unknown in the first run with ${what}`, async () => {
      const { inputs, mistake } = await checkTarget(reading(result), {}, args);
      deepEqual([mistake, "facts" in inputs], [undefined, false]);
      match(inputs.remark ?? "", /^known after the update, because now /);
    });

    it(`keeps the previous facts with ${what}`, async () => {
      const { inputs, mistake, notes } = await checkTarget(reading(result), known, args);
      deepEqual([mistake, inputs.facts], [undefined, facts]);
      match(notes.join(), /^kept from the last run, because /);
    });
  }

  it("keeps previous facts after a change of the rotation, but not of the target", async () => {
    const rotated = { ...args, rotation: { generation: 2 } };
    for (const [asked, expected] of [
      [elsewhere, undefined],
      [rotated, facts],
    ] as const) {
      const { inputs } = await checkTarget(reading(outage), known, asked);
      deepEqual(inputs.facts, expected);
    }
  });

  it("reports what the user has to fix as a mistake", async () => {
    const { mistake } = await checkTarget(reading(invalid), known, args);
    equal(mistake, "cluster west: no context");
  });

  it("is unchanged if arguments and facts are the same", () => {
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

describe("an update of a link's target", () => {
  interface Example {
    /** The results of reading the target, the last one again and again. */
    readonly readings: readonly TargetReading[];
    readonly olds?: Partial<typeof known>;
    readonly inputs?: TargetArgs;
    /** Polls after which it ends; without an error it returns the facts. */
    readonly polls: number;
    readonly error?: string;
  }
  const examples: Readonly<Record<string, Example>> = {
    "uses the facts of the check": { readings: [outage], inputs: known, polls: 0 },
    "waits for an address": { readings: [noAddress, noAddress, found], polls: 2 },
    "gives up on an address in the end": {
      readings: [noAddress],
      polls: 2,
      error: "link east → west: after 10 s, no address yet",
    },
    "doesn't wait for Linkerd to be installed": {
      readings: [noLinkerd],
      polls: 0,
      error: "link east → west: there is no Linkerd",
    },
    "uses the previous facts in an outage": { readings: [outage], olds: known, polls: 0 },
    "doesn't use previous facts if the user has to fix something": {
      readings: [invalid],
      olds: known,
      polls: 0,
      error: "link east → west: cluster west: no context",
    },
  };
  for (const [title, { readings, olds = {}, inputs = args, polls, error }] of Object.entries(
    examples,
  ))
    it(title, async () => {
      const time = new VirtualTime();
      let next = 0;
      const read = () => Promise.resolve(readings[Math.min(next++, readings.length - 1)] ?? outage);
      const said: string[] = [];
      const polling = { within: 10_000, every: 5_000, time };
      const settling = settleTarget(read, olds, inputs, polling, (line) => said.push(line));
      if (error === undefined) equal(await settling, facts);
      else await rejects(settling, { message: error });
      equal(time.now(), polls * 5_000);
      const waiting = "link east → west: waiting for up to 10 s, because no address yet";
      deepEqual(said, polls === 0 ? [] : [waiting]);
    });
});

describe("a link whose target has a new load balancer", () => {
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

  it("resolves its complete name once if DNS has it", async () => {
    deepEqual(await said(0), { lines: [], asked: [`${named}.`], seconds: 0 });
  });

  it("resolves no IP address", async () => {
    deepEqual(await said(9, ["192.0.2.7"]), { lines: [], asked: [], seconds: 0 });
  });

  it("needs only one of several names", async () => {
    deepEqual((await said(1, [named, "other.example.com"])).seconds, 0);
    deepEqual((await said(99, [named, "192.0.2.7"])).seconds, 0);
  });

  it("waits until DNS has the name, and reports every minute how long it still will", async () => {
    const { lines, seconds } = await said(14);
    deepEqual([lines, seconds], [[waiting(120), waiting(60)], 70]);
  });

  it("continues without the name in the end, and says what waits for a later run", async () => {
    const { lines, seconds } = await said(99);
    equal(seconds, 120);
    deepEqual(lines.slice(0, 2), [waiting(120), waiting(60)]);
    deepEqual(
      lines.at(-1),
      `link east → west: DNS still has no address for the gateway's hostname ${named}: its gateway mirrors wait for a later run, and everything else is done`,
    );
  });
});
