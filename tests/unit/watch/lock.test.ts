import { deepEqual, equal } from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";

import { isPulumi, judge, type Lock, locksIn, RunRecords } from "../../../engine/watch/lock.ts";
import { until } from "../../../testbed/processes.ts";

const message = `error: the stack is currently locked by 2 lock(s). Either wait for the other process(es) to end or delete the lock file with \`pulumi cancel\`.
  file:///state/.pulumi/locks/organization/p/s/1.json: created by ann@laptop (pid 42) at 2026-11-22T04:20:58Z
  file:///state/.pulumi/locks/organization/p/s/2.json: created by bob@ci@runner-7 (pid 7) at 2026-11-22T05:20:58+01:00`;

const at = Date.parse("2026-11-22T04:20:58Z");
const record = { host: "laptop", pid: 42, at: at - 500 };
const lock: Lock = { host: "laptop", pid: 42, at, text: "ann@laptop (pid 42)" };

const verdict = (locks: readonly Lock[], running: readonly number[] = []) =>
  judge(locks, [record, { ...record, pid: 50 }], "laptop", (pid) => running.includes(pid));

describe("the lock of a stack", () => {
  it("is what Pulumi says of it", () => {
    const [ann, bob] = ["ann@laptop (pid 42) at 2026-11-22T04:20:58Z", "bob@ci@runner-7 (pid 7)"];
    deepEqual(locksIn(message), [
      { host: "laptop", pid: 42, at, text: ann },
      { host: "runner-7", pid: 7, at, text: `${bob} at 2026-11-22T05:20:58+01:00` },
    ]);
    equal(locksIn("error: update failed"), undefined);
  });

  it("is stale if a run of a watch has left it that is gone, and running if it goes on", () => {
    equal(verdict([lock]), "stale");
    equal(verdict([lock], [42]), "running");
    equal(verdict([lock, { ...lock, pid: 50 }], [50]), "running");
  });

  for (const [what, locks] of [
    ["of another process", [{ ...lock, pid: 43 }]],
    ["of another machine", [{ ...lock, host: "ci" }]],
    ["of an earlier process with the same id", [{ ...lock, at: at - 60_000 }]],
    ["of a later process with the same id", [{ ...lock, at: at + 600_000 }]],
    ["of a time that can't be read", [{ ...lock, at: NaN }]],
    ["beside one of our own", [lock, { ...lock, pid: 43 }]],
    ["that says nothing of itself", []],
  ] as const)
    it(`is foreign, and stays, if it is one ${what}`, () => {
      equal(verdict(locks), "foreign");
    });

  it("is foreign if the record was made on another machine", () => {
    equal(
      judge([lock], [{ ...record, host: "ci" }], "laptop", () => false),
      "foreign",
    );
  });

  it("is of a run that goes on as long as its process may be Pulumi, and not another with its id", async () => {
    const start = (name: string) => spawn("sleep", ["300"], { argv0: name });
    const [pulumi, other] = [start("pulumi"), start("other")];
    const isRunning = ({ pid = 0 }) => isPulumi(pid);
    deepEqual([pulumi, other].map(isRunning), [true, process.platform !== "linux"]);
    for (const child of [pulumi, other]) {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    equal(isRunning(pulumi), false);
  });

  describe("that two watches find", () => {
    let stale: readonly Lock[];
    let state: string;
    let records: RunRecords;
    let run: string;
    let cancelled = 0;
    let end: () => void;
    const cancel = () => {
      cancelled += 1;
      return new Promise<void>((resolve) => (end = resolve));
    };

    beforeEach(() => {
      state = mkdtempSync(join(tmpdir(), "linkerd-multicluster-unit-"));
      records = new RunRecords(state, { XDG_STATE_HOME: state });
      run = records.create();
      const { pid } = spawnSync("true");
      records.add(run, pid);
      stale = [{ host: hostname(), pid, at: Date.now(), text: "" }];
      cancelled = 0;
    });
    afterEach(() => {
      rmSync(state, { recursive: true });
    });

    it("is cleared by one of them while the other one leaves it", async () => {
      const first = records.clear(stale, cancel);
      await until("the first one's turn", [], () => Promise.resolve(cancelled > 0 || undefined));
      equal(
        await new RunRecords(state, { XDG_STATE_HOME: state }).clear(stale, cancel),
        "contended",
      );
      end();
      equal(await first, "cleared");
      deepEqual([cancelled, await records.clear(stale, cancel)], [1, "foreign"]);
    });

    it("is left by one whose turn comes when the other has cleared it, since a run may hold the next", async () => {
      const second = records.clear(stale, () => Promise.resolve((cancelled += 1)));
      records.remove(run);
      deepEqual([await second, cancelled], ["contended", 0]);
    });
  });
});
