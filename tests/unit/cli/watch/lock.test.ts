import { deepEqual, equal } from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { isPulumi, judge, type Lock, locksIn } from "../../../../cli/watch/lock.ts";

const message = `error: the stack is currently locked by 2 lock(s). Either wait for the other process(es) to end or delete the lock file with \`pulumi cancel\`.
  file:///state/.pulumi/locks/organization/p/s/1.json: created by ann@laptop (pid 42) at 2026-11-22T04:20:58Z
  file:///state/.pulumi/locks/organization/p/s/2.json: created by bob@ci@runner-7 (pid 7) at 2026-11-22T05:20:58+01:00`;

const at = Date.parse("2026-11-22T04:20:58Z");
const record = { host: "laptop", pid: 42, at: at - 500 };
const lock: Lock = { host: "laptop", pid: 42, at, text: "ann@laptop (pid 42)" };
const second = { ...lock, pid: 50 };

describe("the lock of a stack", () => {
  it("is parsed from Pulumi's error", () => {
    const [ann, bob] = ["ann@laptop (pid 42) at 2026-11-22T04:20:58Z", "bob@ci@runner-7 (pid 7)"];
    deepEqual(locksIn(message), [
      { host: "laptop", pid: 42, at, text: ann },
      { host: "runner-7", pid: 7, at, text: `${bob} at 2026-11-22T05:20:58+01:00` },
    ]);
    equal(locksIn("error: update failed"), undefined);
  });

  for (const [verdict, what, locks, running] of [
    ["stale", "its run has ended", [lock], []],
    ["running", "its run continues", [lock], [42]],
    ["running", "one of two runs continues", [lock, second], [50]],
    ["foreign", "another process holds it", [{ ...lock, pid: 43 }], []],
    ["foreign", "another machine holds it", [{ ...lock, host: "ci" }], []],
    ["foreign", "it is older than the run with its process id", [{ ...lock, at: at - 60_000 }], []],
    ["foreign", "it is much later than that run", [{ ...lock, at: at + 600_000 }], []],
    ["foreign", "its time can't be parsed", [{ ...lock, at: NaN }], []],
    ["foreign", "only another lock is of a watch", [lock, { ...lock, pid: 43 }], []],
    ["foreign", "its owner can't be parsed", [], []],
  ] as const)
    it(`is ${verdict} if ${what}`, () => {
      const isRunning = (pid: number) => running.some((each) => each === pid);
      equal(judge(locks, [record, { ...record, pid: 50 }], isRunning), verdict);
    });

  it("is held only as long as its process is Pulumi, not by another process with its id", async () => {
    const children = ["pulumi", "other"].map((argv0) => spawn("sleep", ["300"], { argv0 }));
    const isRunning = ({ pid = 0 }) => isPulumi(pid);
    // Only Linux has /proc, which names the program.
    deepEqual(children.map(isRunning), [true, process.platform !== "linux"]);
    for (const child of children) {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    deepEqual(children.map(isRunning), [false, false]);
  });
});
