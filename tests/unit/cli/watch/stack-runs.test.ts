import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { rmSync } from "node:fs";
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import type { RunCommand, RunEnd, WatchEvent } from "../../../../cli/watch/events.ts";
import { longestSilence, type StackLocation } from "../../../../cli/stack/pulumi.ts";
import { StackRuns } from "../../../../cli/watch/stack-runs.ts";
import { until } from "../../../bed/processes.ts";
import { repository } from "../../../bed/stack.ts";

const PATH = [dirname(process.execPath), process.env["PATH"]].join(delimiter);
const mirrorsType = "pulumi-nodejs:dynamic/linkerd:Mirrors";
const urn = `urn:pulumi:dev::p::m:Mesh$${mirrorsType}::east`;
const inputs = { source: "east", stack: "p/s", clusters: {}, links: [], revision: 1, mirrors: {} };

/** A script stands for Pulumi's CLI. It appends its arguments to the file `calls`. */
describe("a run of a stack", () => {
  let folder: string;
  let events: WatchEvent[];
  let runs: StackRuns;

  const watch = (more: Partial<StackLocation> = {}, silence?: typeof longestSilence) => {
    const variables = { PATH: [folder, PATH].join(delimiter), XDG_STATE_HOME: folder };
    const observe = (event: WatchEvent) => events.push(event);
    return new StackRuns({ folder, stack: "dev", variables, ...more }, observe, silence);
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "linkerd-multicluster-unit-"));
    events = [];
    runs = watch();
  });
  afterEach(() => rm(folder, { recursive: true }));

  const up = () => runs.run("up", []);
  const script = async (body: string) => {
    const pulumi = join(folder, "pulumi");
    await writeFile(pulumi, `#!/bin/sh\necho "$@" >> ${join(folder, "calls")}\n${body}\n`);
    await chmod(pulumi, 0o755);
  };
  const calls = async () => (await readFile(join(folder, "calls"), "utf8")).trim().split("\n");
  const files = async () => {
    const all = await readdir(join(folder, "linkerd-multicluster"), { recursive: true });
    return all.filter((file) => /run\.json$|stdout$|stderr$/.test(file));
  };
  const records = async () => (await files()).filter((file) => file.endsWith("run.json"));
  const stateOf = (...resources: readonly object[]) =>
    script(`echo '${JSON.stringify({ deployment: { resources } })}'`);
  const printed = (file: string) =>
    until(file, [], () => readFile(join(folder, file), "utf8").catch(() => undefined));

  it("reports the number of changes, and leaves no files behind", async () => {
    await script(
      `echo '{"sequence":1,"timestamp":1,"summaryEvent":{"resourceChanges":{"same":3,"update":2,"create":1}}}'`,
    );
    deepEqual(await up(), { result: "succeeded", changes: 3 });
    deepEqual(await runs.run("preview", []), { result: "succeeded", changes: 3 });
    const options = "--json --non-interactive --stack dev";
    deepEqual(await calls(), [`up --yes --skip-preview ${options}`, `preview ${options}`]);
    deepEqual(await records(), []);
  });

  for (const [what, body, why] of [
    [
      "the errors of the engine",
      `echo '{"sequence":1,"timestamp":1,"diagnosticEvent":{"severity":"info","message":"by the way"}}'
echo '{"sequence":2,"timestamp":1,"diagnosticEvent":{"severity":"error","message":"it is  wrong "}}'`,
      "it is wrong",
    ],
    ["the standard error if the engine reports nothing", "echo 'no stack dev' >&2", "no stack dev"],
    ["the exit code if nothing is printed", "", "pulumi ended with exit code 255"],
  ] as const)
    it(`fails with ${what}`, async () => {
      await script(`${body}\nexit 255`);
      deepEqual(await up(), { result: "failed", changes: 0, why });
    });

  /** It ignores Ctrl-C, as a CLI does that waits for its backend. */
  const hangs = (first = ":") =>
    script(`trap 'echo interrupted >> ${folder}/calls' INT; ${first}
echo $$ > ${folder}/started; while :; do sleep 0.05; done`);
  const interrupts = async () => (await calls()).filter((line) => line === "interrupted").length;

  it("kills a preview that prints nothing, and interrupts such an update once and waits for it", async () => {
    await hangs();
    runs = watch({}, { ...longestSilence, preview: 300, up: 300, end: 500 });
    const silent =
      /^pulumi printed nothing for 0.3 s; check that the stack's backend can be reached/;
    match((await runs.run("preview", [])).why ?? "", silent);
    equal(await interrupts(), 1);
    await rm(join(folder, "started"));
    const update = up();
    const pid = Number(await printed("started"));
    const isSilent = () => events.filter(({ event }) => event === "runSilent").length === 2;
    await until("a report", [], () => Promise.resolve(isSilent() || undefined));
    await until("an interrupt", [], async () => (await interrupts()) === 2 || undefined);
    process.kill(pid, "SIGKILL");
    match((await update).why ?? "", silent);
    deepEqual([await interrupts(), (await files()).length], [2, 1]);
  });

  it("starts nothing after an interrupt, and ends a preview that goes on", async () => {
    await hangs();
    runs = watch({}, { ...longestSilence, end: 200 });
    const preview = runs.run("preview", []);
    await printed("started");
    runs.interrupt();
    runs.interrupt();
    equal((await preview).result, "cancelled");
    await rejects(runs.sources(), /aborted/);
    equal((await up()).result, "cancelled");
    deepEqual([(await calls()).length, await interrupts(), await files()], [2, 1, []]);
  });

  it("says that the end of what a preview printed is missing, as on a full volume", async () => {
    await script(`echo '{"sequence":1}'`);
    match((await runs.run("preview", [])).why ?? "", /the volume is not full/);
  });

  it("names the missing CLI", async () => {
    await rejects(up(), /there is no pulumi on PATH/);
    await rejects(runs.sources(), /there is no pulumi on PATH/);
  });

  it("shares the compile cache of the program, unless the environment names another", async () => {
    await script(`echo "$NODE_COMPILE_CACHE" > ${folder}/cache`);
    await up();
    equal(await printed("cache"), `${join(repository, "node_modules", ".cache", "compiled")}\n`);
    const NODE_COMPILE_CACHE = "/elsewhere";
    const variables = { PATH: [folder, PATH].join(delimiter), XDG_STATE_HOME: folder };
    await watch({ variables: { ...variables, NODE_COMPILE_CACHE } }).run("up", []);
    equal(await printed("cache"), "/elsewhere\n");
  });

  it("has its own process group, and ends after one interrupt", async () => {
    await script(`trap 'echo interrupted >> ${folder}/calls; exit 1' INT
ps -o pgid= -p $$ > ${folder}/group; echo $$ > ${folder}/started
while :; do sleep 0.05; done`);
    const run = up();
    const pid = await printed("started");
    runs.interrupt();
    equal((await run).result, "cancelled");
    equal((await calls()).filter((line) => line === "interrupted").length, 1);
    equal((await printed("group")).trim(), pid.trim());
    equal((await up()).result, "cancelled");
  });

  it("reads mirrors and the expiry of certificates from the state", async () => {
    const date = "2036-01-01T00:00:00.000Z";
    const trust = "linkerd-multicluster:index:TrustRoot";
    await stateOf(
      { type: "pulumi:pulumi:Stack", outputs: { expiries: { "a cookie": date } } },
      { type: mirrorsType, urn, inputs: { ...inputs, __provider: "code" } },
      { type: mirrorsType, urn, inputs, delete: true },
      { type: mirrorsType, urn, inputs: { __provider: "code" } },
      { type: trust },
      { type: trust, outputs: { expiries: { "the trust anchor": date, secret: { key: "x" } } } },
    );
    deepEqual(await runs.sources(), [{ planned: inputs, before: inputs }]);
    deepEqual(events, [{ event: "expiries", certificates: { "the trust anchor": date } }]);
    await script(`echo '{"deployment":{}}'`);
    deepEqual(await runs.sources(), []);
    equal(runs.nextStepIn(), Infinity);
  });

  it("reads from the state when the next step of a rotation is due, if runs restart workloads", async () => {
    const root = (stage: string) => ({
      type: "linkerd-multicluster:index:TrustRoot",
      outputs: { stage },
    });
    const restarts = (found: object) => ({
      type: "pulumi-nodejs:dynamic/linkerd:Restarts",
      urn: "x",
      inputs: found,
    });
    const dueIn = async (...resources: readonly object[]) => {
      await stateOf(...resources);
      await runs.sources();
      return runs.nextStepIn();
    };
    equal(await dueIn(root("bundle")), Infinity);
    equal(await dueIn(root("settled"), restarts({})), Infinity);
    equal(await dueIn(root("bundle"), restarts({})), 60_000);
    equal(await dueIn(root("waiting"), restarts({ waitsFor: ["a pod"] })), Infinity);
    deepEqual(events.at(-1), { event: "rotation", stage: "waiting", waitsFor: 1 });
    const notBefore = new Date(Date.now() + 300_000).toISOString();
    const wait = await dueIn(root("reissue"), restarts({ notBefore }));
    equal(wait > 240_000 && wait <= 300_000, true);
  });

  it("passes on what a run says", async () => {
    const said: string[] = [];
    const { folder: at } = { folder };
    const variables = { PATH: [at, PATH].join(delimiter), XDG_STATE_HOME: at };
    const told = new StackRuns(
      { folder: at, stack: "dev", variables },
      () => undefined,
      longestSilence,
      (message) => said.push(message),
    );
    const line = (severity: string, message: string) =>
      `echo '${JSON.stringify({ sequence: 1, timestamp: 1, diagnosticEvent: { severity, message } })}'`;
    await script(
      [line("info", "<{%reset%}>step 1<{%reset%}>"), line("debug", "x"), line("warning", "y")].join(
        "\n",
      ),
    );
    await told.run("preview", []);
    deepEqual(said, ["step 1", "y"]);
  });

  it("takes the arguments of each source from the last run that planned it, and not from the state", async () => {
    const before = { ...inputs, links: [], allowDeletions: false };
    const of = (name: string) => urn.replace(/east$/, name);
    const event = (op: string, name: string, made?: object) => {
      const resource = made && { type: mirrorsType, urn: of(name), inputs: made };
      const metadata = { op, urn: of(name), type: mirrorsType, new: resource };
      return `echo '${JSON.stringify({ sequence: 1, timestamp: 1, resourcePreEvent: { metadata } })}'`;
    };
    const prints = async (end: string, ...events: readonly string[]) => {
      const exported = JSON.stringify({
        deployment: {
          resources: ["east", "north"].map((name) => ({
            type: mirrorsType,
            urn: of(name),
            inputs: { ...before, source: name },
          })),
        },
      });
      await script(
        [
          `case "$1" in stack) echo '${exported}' ; exit 0 ;; esac`,
          ...events,
          `echo '{"sequence":2,"timestamp":1,"summaryEvent":{}}'; ${end}`,
        ].join("\n"),
      );
    };
    const planned = async () =>
      (await runs.sources()).map(({ planned: { source, allowDeletions }, before }) => {
        return [source, allowDeletions, before.allowDeletions];
      });
    const now = { ...inputs, allowDeletions: true };
    await prints("exit 255", event("update", "east", now));
    await runs.run("preview", []);
    deepEqual(await planned(), [
      ["east", true, false],
      ["north", false, false],
    ]);
    await prints("exit 0", event("same", "east", before), event("create", "south", now));
    await runs.run("preview", ["east"]);
    deepEqual(await planned(), [
      ["east", true, false],
      ["east", true, undefined],
    ]);
    await prints("exit 0", event("delete", "east"), event("same", "north", before));
    await runs.run("preview", []);
    deepEqual(await planned(), [["east", false, false]]);
  });

  it("leaves out the mirrors of excluded sources", async () => {
    await stateOf({ type: mirrorsType, urn, inputs });
    await runs.sources();
    await runs.run("up", ["east", "unknown"]);
    await runs.run("preview", ["east"]);
    const [, ...commands] = await calls();
    const excluded = commands.map((line) =>
      line
        .split("--exclude ")
        .slice(1)
        .map((each) => each.split(" ")[0]),
    );
    deepEqual(excluded, [[urn], [urn]]);
  });

  /** Starts a run that holds the lock, and returns how Pulumi names the owner of that lock. */
  async function locking() {
    await script(`touch ${folder}/lock; echo $$ > ${folder}/started; while :; do sleep 0.05; done`);
    const run = watch().run("up", []);
    const pid = Number(await printed("started"));
    return { run, pid, whose: `root@${hostname()} (pid ${pid})` };
  }

  /** Kills such a run, whose record remains. */
  async function killed(): Promise<string> {
    const { run, pid, whose } = await locking();
    process.kill(pid, "SIGKILL");
    deepEqual(await run, { result: "failed", changes: 0, why: "pulumi ended with SIGKILL" });
    equal((await records()).length, 1);
    return whose;
  }

  /** Lets each run fail until `pulumi cancel` has removed the lock, and `then` do something else. */
  const locked = (whose: string, cancel = ":", then = ":") =>
    script(`case $1 in cancel) ${cancel}; rm ${folder}/lock;; up)
if [ -e ${folder}/lock ]; then
  echo "error: the stack is currently locked by 1 lock(s).
  file:///l.json: created by ${whose} at $(date -u +%Y-%m-%dT%H:%M:%SZ)" >&2; exit 255
fi; ${then};; esac`);
  const cancels = async () => (await calls()).filter((line) => line.startsWith("cancel")).length;
  const stayedLocked = async (run: Promise<RunEnd>, because: RegExp) => {
    const { result, why = "" } = await run;
    equal(result, "locked");
    match(why, because);
  };

  it("clears the lock of a killed run, and its record", async () => {
    await locked(await killed());
    equal((await up()).result, "succeeded");
    equal((await calls()).includes("cancel --yes --stack dev --non-interactive"), true);
    equal(events[0]?.event, "lockCleared");
    deepEqual(await records(), []);
  });

  it("leaves a lock to another watch that is clearing it", async () => {
    const go = `touch ${folder}/cancelling; while [ ! -e ${folder}/go ]; do sleep 0.05; done`;
    await locked(await killed(), go, "exit 1");
    const first = up();
    await printed("cancelling");
    await stayedLocked(watch().run("up", []), /another watch clears its lock/);
    await writeFile(join(folder, "go"), "");
    deepEqual([(await first).result, await cancels()], ["failed", 1]);
    deepEqual(await records(), []);
  });

  it("leaves alone the lock that follows one that another watch cleared", async () => {
    await locked(await killed());
    const turn = "tracing:net.server.listen:asyncStart";
    const clear = () => {
      rmSync(join(folder, "linkerd-multicluster"), { recursive: true });
    };
    subscribe(turn, clear);
    await stayedLocked(up(), /a run of somebody else/);
    unsubscribe(turn, clear);
    equal(await cancels(), 0);
  });

  it("removes the record of a killed run once a run of the same stack succeeds", async () => {
    const other = watch({ stack: "prod" });
    await killed();
    await script("exit 1");
    equal((await up()).result, "failed");
    await script("exit 0");
    equal((await other.run("up", [])).result, "succeeded");
    equal((await records()).length, 1);
    equal((await up()).result, "succeeded");
    deepEqual(await records(), []);
  });

  it("removes what a run has printed whose watch was killed, and the record of a preview", async () => {
    await killed();
    const [file = ""] = await records();
    const left = (name: string) => join(folder, "linkerd-multicluster", dirname(file), name);
    const record = JSON.parse(await readFile(left("run.json"), "utf8")) as object;
    const start = async (command: RunCommand) => {
      await writeFile(left("stdout"), "much");
      await writeFile(left("run.json"), JSON.stringify({ ...record, command }));
      await script("exit 1");
      await runs.run("preview", []);
      return files();
    };
    deepEqual(await start("up"), [file]);
    deepEqual(await start("preview"), []);
  });

  it("takes nobody's words for those of Pulumi about a lock", async () => {
    const message =
      "error: the stack is currently locked by 1 lock(s). created by a@b (pid 1) at now";
    const event = { sequence: 1, diagnosticEvent: { severity: "error", message } };
    await script(`echo '${JSON.stringify(event)}'; echo '${message}' >&2; exit 255`);
    deepEqual(await up(), { result: "failed", changes: 0, why: message });
    await script(`echo 'error: admission: the text "${message}"' >&2; exit 255`);
    equal((await up()).result, "failed");
  });

  it("waits for an update that Pulumi Cloud reports", async () => {
    await script(
      `echo 'error: [409] Conflict: Another update is currently in progress.' >&2; exit 255`,
    );
    await stayedLocked(up(), /^it is locked by another update, .* pulumi cancel$/);
  });

  it("keeps the records of other machines, whose processes it can't see", async () => {
    await killed();
    const [file = ""] = await records();
    const record = { host: "elsewhere", pid: 2 ** 22, at: 0 };
    await writeFile(join(folder, "linkerd-multicluster", file), JSON.stringify(record));
    await script("exit 0");
    deepEqual([(await up()).result, (await records()).length], ["succeeded", 1]);
  });

  it("leaves alone a foreign lock, and names its owner", async () => {
    await writeFile(join(folder, "lock"), "");
    await locked("root@laptop (pid 42)");
    await stayedLocked(
      up(),
      /^it is locked by root@laptop \(pid 42\) at .*, a run of somebody else/,
    );
    equal(await cancels(), 0);
  });

  it("leaves alone the lock of an earlier watch's run that continues", async () => {
    const { run, pid, whose } = await locking();
    await locked(whose);
    await stayedLocked(up(), /a run that linkerd-clusters started still continues/);
    await script("exit 0");
    deepEqual([(await up()).result, (await records()).length], ["succeeded", 1]);
    process.kill(pid);
    await run;
  });
});
