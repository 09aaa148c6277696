import { deepEqual, equal, match, rejects } from "node:assert/strict";

import { DryRunner, type OwnProcess, startProcess } from "../../../engine/watch/dry-runner.ts";
import { until } from "../../../testbed/processes.ts";
import { VirtualTime } from "../../simulation/time.ts";
import { argsFor } from "../fixtures/world.ts";

describe("the process of a dry run", () => {
  const nothing = { sources: [], hostnames: {} };

  it("says that it was ended", async () => {
    const runner = new DryRunner();
    const running = runner.run([]);
    runner.close();
    await rejects(running, /the dry run was ended \(SIGKILL\)/);
  });

  it("is another one if it has died before it was asked", async () => {
    const runner = new DryRunner();
    runner.prepare();
    runner.close();
    const isThere = () => process.getActiveResourcesInfo().includes("ProcessWrap");
    await until("its end", [], () => Promise.resolve(isThere() ? undefined : true));
    deepEqual(await runner.run([]), nothing);
  });

  it("is tried again where none could be started", async () => {
    const { execPath } = process;
    const runner = new DryRunner();
    process.execPath = "/nowhere";
    try {
      runner.prepare();
      await rejects(runner.run([]), /no dry run could be made: .*ENOENT/);
    } finally {
      process.execPath = execPath;
    }
    deepEqual(await runner.run([]), nothing);
  });

  it("tells of a kubeconfig that can't be read as a run does", async () => {
    const nowhere = { context: "nowhere", kubeconfig: "/nowhere" };
    const args = argsFor(["west"], { clusters: { east: nowhere, west: nowhere } });
    const [source] = (await new DryRunner().run([{ ...args, mirrors: {}, revision: 1 }])).sources;
    equal(source?.status, "refused");
    match(source.refusals.join(), /\/nowhere/);
  });
});

describe("hostnames of gateways between dry runs", () => {
  type Addresses = Readonly<Record<string, readonly string[]>>;
  const known: Addresses = {
    "a.example": ["10.0.0.1", "10.0.0.2"],
    "b.example": ["10.0.0.3"],
    "c.example": [],
  };
  const telling = (...told: readonly unknown[]): OwnProcess => ({
    child: { send: () => true, kill: () => true },
    ended: Promise.resolve({ told, by: "" }),
  });

  /** The names that are told of, and when, in a minute and a half after a dry run that has found `seen`. */
  async function moved(
    seen: Addresses,
    resolve: (now: number, ...process: Parameters<typeof startProcess>) => OwnProcess,
  ): Promise<readonly string[]> {
    const time = new VirtualTime();
    const stop = new AbortController();
    void time.sleep(95_000).then(() => {
      stop.abort();
    });
    const runner = new DryRunner((...process) =>
      process[0] === "dry-run"
        ? telling({ sources: [], hostnames: seen })
        : resolve(time.now(), ...process),
    );
    await runner.run([]);
    const told: string[] = [];
    await runner.watchHostnames((name) => told.push(`${name} ${time.now()}`), stop.signal, time);
    return told;
  }

  for (const [what, changes, expected] of [
    ["lead to other addresses", { "b.example": ["10.0.0.4"] }, "b.example"],
    ["resolve after they did not", { "c.example": ["10.0.0.5"] }, "c.example"],
    ["are told in another order", { "a.example": ["10.0.0.2", "10.0.0.1"] }, undefined],
    ["don't resolve: DNS may be away", { "a.example": [], "b.example": [] }, undefined],
    ["were not needed by the last dry run", { "d.example": ["10.0.0.6"] }, undefined],
  ] as const)
    it(`${expected === undefined ? "have not" : "have"} moved where they ${what}`, async () => {
      const told = await moved(known, (now) => {
        const answers = { ...known, ...(now > 40_000 && changes) };
        return telling(...Object.entries(answers).filter(([, found]) => found.length > 0));
      });
      // Every half minute, as long as they lead elsewhere.
      const times = expected === undefined ? [] : [60_000, 90_000];
      deepEqual(
        told,
        times.map((at) => `${expected} ${at}`),
      );
    });

  it("are resolved as the system resolves them, and do no harm where that can't be done", async () => {
    const seen = { localhost: [], "no-such-name.invalid": [] };
    const told = await moved(seen, (_, ...process) => startProcess(...process));
    equal(new Set(told.map((text) => text.split(" ")[0])).size, 1);
    match(told.join(), /^localhost /);
    const nothing = () => {
      throw new Error("no process can be started");
    };
    deepEqual(await moved(seen, nothing), []);
  });
});
