import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import {
  awaitHostnames,
  checkTarget,
  isSameTarget,
  settleTarget,
} from "../../../engine/credentials/link-target.ts";
import type { TargetArgs } from "../../../engine/credentials/state.ts";
import type { TargetReading } from "../../../engine/credentials/target.ts";
import { UserError } from "../../../engine/base/user-error.ts";
import { VirtualTime } from "../../simulation/time.ts";
import { link } from "../fixtures/link.ts";
import { args, facts } from "./target.ts";

const known = { ...args, facts };
const adopt = { spec: link(), mirroring: "pulumi" as const };
const elsewhere = { ...args, apiServer: "https://10.0.0.1" };
const found = { value: { facts, notes: ["a note"] } };
const outage = { why: "cluster west can't be reached", cause: "unreachable" } as const;
const noLinkerd = { why: "there is no Linkerd", cause: "refused" } as const;
const noAddress = { why: "no address yet", cause: "refused", soon: true } as const;
const invalid = { why: "cluster west: no context", cause: "invalid" } as const;

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

  it("passes on the token of the previous run, and compares existing objects until a run has adopted them", async () => {
    const asked: unknown[] = [];
    const read = (given: TargetArgs, before: string | undefined) => {
      asked.push([given.adopt !== undefined, before]);
      return Promise.resolve(found);
    };
    for (const olds of [{}, known, { ...known, adopt }])
      deepEqual((await checkTarget(read, olds, { ...args, adopt })).inputs.adopt, adopt);
    deepEqual(asked, [
      [true, undefined],
      [true, facts.token],
      [false, facts.token],
    ]);
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
    deepEqual((await checkTarget(reading(outage), known, rotated)).inputs.facts, facts);
    deepEqual((await checkTarget(reading(outage), known, elsewhere)).inputs.facts, undefined);
  });

  it("reports what the user has to fix as a mistake", async () => {
    const { mistake } = await checkTarget(reading(invalid), known, args);
    equal(mistake, "cluster west: no context");
  });

  it("is unchanged if arguments and facts are the same", () => {
    const state = { ...known, __provider: "code" };
    ok(isSameTarget(state, { ...known, remark: "kept" }));
    for (const news of [
      { ...args, facts: { ...facts, token: "other" } },
      { ...elsewhere, facts },
      args,
    ])
      ok(!isSameTarget(state, news));
    ok(!isSameTarget({}, known));
  });

  it("is changed by a run that begins or ends to adopt, whatever it adopts", () => {
    ok(!isSameTarget(known, { ...known, adopt }));
    ok(!isSameTarget({ ...known, adopt }, known));
    const other = { ...adopt, mirroring: "controller" } as const;
    ok(isSameTarget({ ...known, adopt }, { ...known, adopt: other }));
  });
});

describe("an update of a link's target", () => {
  const inLink = "link east → west:";
  function ends(
    title: string,
    readings: readonly TargetReading[],
    expected: { readonly polls?: number; readonly error?: string },
    olds: Partial<typeof known> = {},
    inputs: TargetArgs = args,
  ) {
    it(title, async () => {
      const time = new VirtualTime();
      const left = [...readings];
      const read = () => Promise.resolve((left.length > 1 ? left.shift() : left[0]) ?? outage);
      const said: string[] = [];
      const polling = { within: 10_000, every: 5_000, time };
      const settling = settleTarget(read, olds, inputs, polling, (line) => said.push(line));
      const { polls = 0, error } = expected;
      if (error === undefined) equal(await settling, facts);
      else await rejects(settling, { message: `${inLink} ${error}` });
      equal(time.now(), polls * 5_000);
      const waiting = `${inLink} waiting for up to 10 s, because no address yet`;
      deepEqual(said, polls === 0 ? [] : [waiting]);
    });
  }

  ends("uses the facts of the check", [outage], {}, {}, known);
  ends("waits for an address", [noAddress, noAddress, found], { polls: 2 });
  ends("gives up on an address in the end", [noAddress], {
    polls: 2,
    error: "after 10 s, no address yet",
  });
  ends("doesn't wait for Linkerd to be installed", [noLinkerd], { error: noLinkerd.why });
  ends("uses the previous facts in an outage", [outage], {}, known);
  ends(
    "doesn't use previous facts if the user has to fix something",
    [invalid],
    { error: invalid.why },
    known,
  );
});

describe("a link whose target has a new load balancer", () => {
  const named = "lb.example.com";
  const gateway = { addresses: [named], port: 4143, identity: "gateway.west" };

  /** Runs while DNS gets the name after so many attempts. */
  async function said(after: number, addresses: readonly string[] = [named], olds: object = {}) {
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
    await awaitHostnames(olds, args, seen, resolve, polling, (line) => lines.push(line));
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

  it("is waited for only if the link has no gateway yet", async () => {
    const had = { ...args, facts: { ...facts, gateway: { ...gateway, addresses: ["192.0.2.6"] } } };
    equal((await said(99, [named], had)).seconds, 0);
    equal((await said(99, [named], known)).seconds, 120);
    const moved = { namespace: "linkerd-multicluster", name: "other" };
    equal((await said(99, [named], { ...had, gateway: moved })).seconds, 120);
  });

  it("keeps its gateway until one of the new names resolves", async () => {
    const former = { ...gateway, addresses: ["192.0.2.6"], identity: "former.west" };
    const olds = { ...args, facts: { ...facts, gateway: former } };
    const now = { ...facts, gateway };
    const lost = { value: { facts: now, notes: [], unresolved: `${named}: no address` } };
    const checked = await checkTarget(reading(lost), olds, args);
    deepEqual(checked.inputs.facts, olds.facts);
    ok(isSameTarget(olds, checked.inputs));
    match(checked.notes.join(), /keeps the gateway's addresses \(192.0.2.6\).*lb.example.com: no/);
    const polling = { within: 0, every: 1, time: new VirtualTime() };
    deepEqual(await settleTarget(reading(lost), olds, args, polling, () => undefined), olds.facts);
    const resolved = { value: { facts: now, notes: [] } };
    deepEqual((await checkTarget(reading(resolved), olds, args)).inputs.facts, now);
    deepEqual((await checkTarget(reading(lost), known, args)).inputs.facts, now);
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
