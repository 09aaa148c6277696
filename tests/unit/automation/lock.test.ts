import { deepEqual, equal } from "node:assert/strict";

import { judge, type Lock, locksIn, type Verdict } from "../../../automation/lock.ts";
import type { RunRecord } from "../../../automation/run-record.ts";

const message = `error: the stack is currently locked by 2 lock(s). Either wait for the other process(es) to end or delete the lock file with \`pulumi cancel\`.
  file:///state/.pulumi/locks/organization/p/s/1.json: created by ann@laptop (pid 42) at 2026-11-22T04:20:58Z
  file:///state/.pulumi/locks/organization/p/s/2.json: created by bob@ci@runner-7 (pid 7) at 2026-11-22T05:20:58+01:00`;

const record: RunRecord = {
  ...{ id: "run", pid: 42, identity: "boot/100", host: "laptop" },
  startedAt: "2026-11-22T04:20:57.500Z",
};
const at = Date.parse("2026-11-22T04:20:58Z");
const lock: Lock = { host: "laptop", pid: 42, at, text: "ann@laptop (pid 42)" };

const gone = { identity: () => undefined };

function verdict(
  locks: readonly Lock[],
  {
    identity = gone.identity,
    more = {},
  }: {
    readonly identity?: () => string | undefined;
    readonly more?: Partial<RunRecord>;
  } = {},
): Verdict {
  return judge(locks, [{ ...record, ...more }], "laptop", { identity });
}

describe("the lock of a stack", () => {
  it("is what Pulumi says of it", () => {
    deepEqual(locksIn(message), [
      { host: "laptop", pid: 42, at, text: "ann@laptop (pid 42) at 2026-11-22T04:20:58Z" },
      {
        host: "runner-7",
        pid: 7,
        at,
        text: "bob@ci@runner-7 (pid 7) at 2026-11-22T05:20:58+01:00",
      },
    ]);
    equal(locksIn("error: update failed"), undefined);
  });

  it("is stale if a run of a watch has left it that is gone", () => {
    equal(verdict([lock]), "stale");
  });

  it("is stale if another process has come to have the id", () => {
    equal(verdict([lock], { identity: () => "boot/200" }), "stale");
    equal(verdict([lock], { identity: () => "another boot/100" }), "stale");
  });

  it("is a running one's if that process is still there", () => {
    equal(verdict([lock], { identity: () => "boot/100" }), "running");
  });

  for (const [what, locks, more] of [
    ["of another process", [{ ...lock, pid: 43 }], {}],
    ["of another machine", [{ ...lock, host: "ci" }], {}],
    ["of an earlier process with the same id", [{ ...lock, at: at - 60_000 }], {}],
    ["of a later process with the same id", [{ ...lock, at: at + 600_000 }], {}],
    ["of a time that can't be read", [{ ...lock, at: NaN }], {}],
    ["whose process can't be told from others", [lock], { identity: "unknown" }],
    ["beside one of our own", [lock, { ...lock, pid: 43 }], {}],
    ["that says nothing of itself", [], {}],
  ] as const)
    it(`is foreign, and stays, if it is one ${what}`, () => {
      equal(verdict(locks, { more }), "foreign");
    });

  it("is nobody's to clear while one of ours still runs beside a stale one", () => {
    const other = { ...lock, pid: 50 };
    const records = [record, { ...record, pid: 50, identity: "boot/300" }];
    const identity = (pid: number) => (pid === 50 ? "boot/300" : undefined);
    equal(judge([lock, other], records, "laptop", { identity }), "running");
  });
});
