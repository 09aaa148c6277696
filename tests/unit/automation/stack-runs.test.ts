import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

import { processTable, runVariable } from "../../../automation/process-table.ts";
import { PulumiCli } from "../../../automation/pulumi-cli.ts";
import { RunRecords } from "../../../automation/run-record.ts";
import { PulumiRuns } from "../../../automation/stack-runs.ts";
import type { WatchEvent } from "../../../engine/watch/events.ts";
import { until } from "../../../testbed/processes.ts";
import { repository } from "../../../testbed/stack.ts";

const PATH = [dirname(process.execPath), process.env["PATH"]].join(delimiter);

/** Stands for Pulumi's CLI: what it is called with goes to `calls`, and what it does is in `script`. */
describe("runs of a stack", () => {
  let folder: string;
  let records: RunRecords;
  let events: WatchEvent[];
  let runs: PulumiRuns;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "linkerd-multicluster-unit-"));
    records = new RunRecords(join(folder, "records"));
    events = [];
    const variables = { PATH: [folder, PATH].join(delimiter) };
    const cli = new PulumiCli({ folder, stack: "dev", configFile: "c.yaml", variables });
    runs = new PulumiRuns({ cli, records, observe: (event) => events.push(event) });
  });
  afterEach(() => rm(folder, { recursive: true }));

  const script = async (body: string) => {
    const pulumi = join(folder, "pulumi");
    await writeFile(pulumi, `#!/bin/sh\necho "$@" >> ${join(folder, "calls")}\n${body}\n`);
    await chmod(pulumi, 0o755);
  };
  const calls = async () => (await readFile(join(folder, "calls"), "utf8")).trim().split("\n");
  const left = () => readdir(join(folder, "records"));

  it("are counted by what they change, and leave nothing behind", async () => {
    await script(
      `echo '{"sequence":1,"timestamp":1,"summaryEvent":{"resourceChanges":{"same":3,"update":2,"create":1}}}'`,
    );
    deepEqual(await runs.up([]), { result: "succeeded", changes: 3 });
    deepEqual(await calls(), [
      "up --yes --skip-preview --json --non-interactive --stack dev --config-file c.yaml",
    ]);
    deepEqual(await left(), []);
  });

  it("tell what the state says of certificates, whenever it is read", async () => {
    const expiries = { "the trust anchor": "2036-01-01T00:00:00.000Z" };
    const resource = { type: "linkerd-multicluster:index:TrustRoot", outputs: { expiries } };
    const exported = JSON.stringify({ deployment: { resources: [resource] } });
    await script(`echo '${exported}'`);
    deepEqual(await runs.sources(), []);
    deepEqual(events, [{ event: "expiries", certificates: expiries }]);
  });

  it("can be foretold", async () => {
    await script(`echo '{"changeSummary":{"same":3,"update":1},"diagnostics":[]}'`);
    deepEqual(await runs.preview([]), { result: "succeeded", changes: 1 });
  });

  it("fail with the errors that the engine tells, and no others", async () => {
    await script(`
echo '{"sequence":1,"timestamp":1,"diagnosticEvent":{"severity":"info","message":"by the way"}}'
echo '{"sequence":2,"timestamp":1,"diagnosticEvent":{"severity":"error","message":"it is  wrong "}}'
exit 255`);
    deepEqual(await runs.up([]), { result: "failed", changes: 0, why: "it is wrong" });
  });

  it("fail with what is printed where the engine did not come to tell anything", async () => {
    await script("echo 'error: no stack named dev found' >&2; exit 1");
    const { why } = await runs.up([]);
    equal(why, "error: no stack named dev found");
  });

  it("let Node keep what it compiles for them, where the program's own is kept, or as they are told", async () => {
    await script(`echo "$NODE_COMPILE_CACHE" > ${folder}/cache`);
    const told = () => readFile(join(folder, "cache"), "utf8");
    await runs.up([]);
    equal(await told(), `${join(repository, "node_modules", ".cache", "compiled")}\n`);
    const variables = { PATH: [folder, PATH].join(delimiter), NODE_COMPILE_CACHE: "/elsewhere" };
    const cli = new PulumiCli({ folder, variables });
    await new PulumiRuns({ cli, records, observe: () => undefined }).up([]);
    equal(await told(), "/elsewhere\n");
  });

  it("fail in a sentence where there is no CLI", async () => {
    await rejects(runs.up([]), /There is no pulumi on PATH/);
    await rejects(runs.sources(), /There is no pulumi on PATH/);
  });

  it("end with one interrupt, in a group of their own", async () => {
    await script(`trap 'echo interrupted >> ${folder}/calls; exit 1' INT
ps -o pgid= -p $$ > ${folder}/group; echo $$ > ${folder}/started
while :; do sleep 0.05; done`);
    const run = runs.up([]);
    const pid = await until("the start", [], () => readFile(join(folder, "started"), "utf8"));
    runs.interrupt();
    equal((await run).result, "cancelled");
    equal((await calls()).filter((line) => line === "interrupted").length, 1);
    equal((await readFile(join(folder, "group"), "utf8")).trim(), pid.trim());
    equal((await runs.up([])).result, "cancelled");
  });

  /** Like Pulumi's: locked as long as the file is there, which `cancel` removes. */
  const locking = (by: string) => `
case $1 in
cancel) rm ${folder}/lock;;
up) if [ -e ${folder}/lock ]; then
  echo "error: the stack is currently locked by 1 lock(s).
  file:///l.json: created by root@${by} at $(date -u +%Y-%m-%dT%H:%M:%SZ)" >&2; exit 255
fi;;
esac`;

  it("clear the lock of a run that was killed, and what it has left running", async () => {
    await script(`
touch ${folder}/lock
sleep 300 & echo $! > ${folder}/left
echo $$ > ${folder}/started
wait`);
    const killed = runs.up([]);
    const pid = Number(
      await until("the start", [], () => readFile(join(folder, "started"), "utf8")),
    );
    const orphan = Number(await readFile(join(folder, "left"), "utf8"));
    process.kill(pid, "SIGKILL");
    deepEqual(await killed, { result: "failed", changes: 0, why: "pulumi ended with SIGKILL" });
    equal((await left()).length > 0, true);
    await script(locking(`${hostname()} (pid ${pid})`));
    equal((await runs.up([])).result, "succeeded");
    equal((await calls()).includes("cancel --yes --stack dev"), true);
    await until("the orphan's end", [], () =>
      Promise.resolve(processTable.identity(orphan) === undefined || undefined),
    );
    deepEqual(
      events.map((event) => event.event === "cleared" && event.what),
      ["processes", "lock"],
    );
    deepEqual(await left(), []);
  });

  it("clear a lock once where two watches find it, and never the one that comes after it", async () => {
    const child = spawn("true");
    await once(child, "exit");
    const { pid = 0 } = child;
    const startedAt = new Date().toISOString();
    records.add({ id: "killed", pid, identity: "gone", host: hostname(), startedAt });
    const locked = `root@${hostname()} (pid ${pid}) at ${startedAt}`;
    // Both have found the lock before one clears it, and the other one's turn comes once the first one runs.
    await script(`
waitFor() { while ! [ -e ${folder}/$1 ]; do sleep 0.01; done; }
case $1 in
cancel) mkdir ${folder}/cleared || waitFor running; rm -f ${folder}/lock;;
up) if [ -e ${folder}/lock ]; then
  mkdir ${folder}/one && waitFor two || mkdir ${folder}/two
  echo "error: the stack is currently locked by 1 lock(s).
  file:///l.json: created by ${locked}" >&2; exit 255
fi
mkdir ${folder}/running || { echo "two engines" >> ${folder}/calls; exit 0; }
waitFor go;;
esac`);
    await writeFile(join(folder, "lock"), "");
    const cli = new PulumiCli({ folder, variables: { PATH: [folder, PATH].join(delimiter) } });
    const other = new PulumiRuns({ cli, records, observe: () => undefined });
    const both = [runs.up([]), other.up([])];
    await Promise.race(both);
    await writeFile(join(folder, "go"), "");
    const results = (await Promise.all(both)).map(({ result }) => result);
    deepEqual(
      [results.sort(), (await calls()).includes("two engines")],
      [["locked", "succeeded"], false],
    );
  });

  it("leave out the mirrors of sources that are to stay as they are", async () => {
    const urn = "urn:pulumi:dev::p::m:Mesh$pulumi-nodejs:dynamic/linkerd:Mirrors::east";
    const inputs = { source: "east", stack: "p/s", clusters: {}, links: [] };
    const resource = { type: "pulumi-nodejs:dynamic/linkerd:Mirrors", urn, inputs };
    await script(`echo '${JSON.stringify({ deployment: { resources: [resource] } })}'`);
    await runs.sources();
    await runs.up(["east", "unknown"]);
    await runs.preview(["east"]);
    const [, up = "", preview = ""] = await calls();
    equal(up.includes(` --exclude ${urn} `), true);
    equal(up.split("--exclude").length, 2);
    equal(preview.includes(` --exclude ${urn} `), true);
  });

  it("forget those that are over without a lock, of their own stack", async () => {
    const child = spawn("true");
    await once(child, "exit");
    const { pid = 0 } = child;
    const startedAt = new Date().toISOString();
    const over = { pid, identity: "gone", host: hostname(), startedAt };
    const stack = `${folder}\ndev\n`;
    records.add({ ...over, id: "dev", stack });
    records.add({ ...over, id: "prod", stack: `${folder}\nprod\n` });
    await writeFile(join(folder, "records", "dev.out"), "");
    await script("exit 1");
    equal((await runs.up([])).result, "failed");
    deepEqual(await left(), ["dev.json", "dev.out", "prod.json"]);
    await script("exit 0");
    equal((await runs.up([])).result, "succeeded");
    deepEqual(await left(), ["prod.json"]);
  });

  it("leave a lock that is somebody else's, and say whose", async () => {
    await script(locking("laptop (pid 42)"));
    await writeFile(join(folder, "lock"), "");
    const { result, why = "" } = await runs.up([]);
    equal(result, "locked");
    match(why, /^it is locked by root@laptop \(pid 42\) at .*, which is not this watch's/);
    equal((await calls()).length, 1);
  });

  it("leave the lock of a run that an earlier watch has begun and that still goes on", async () => {
    const running = spawn("sleep", ["300"]);
    try {
      const { pid = 0 } = running;
      const identity = processTable.identity(pid) ?? "";
      const startedAt = new Date().toISOString();
      records.add({ id: "earlier", pid, identity, host: hostname(), startedAt });
      await script(locking(`${hostname()} (pid ${pid})`));
      await writeFile(join(folder, "lock"), "");
      const { result, why = "" } = await runs.up([]);
      equal(result, "locked");
      match(why, /a run that a watch has begun still goes on/);
      equal(processTable.identity(pid), identity);
    } finally {
      running.kill();
      await once(running, "exit");
    }
  });

  it("know the mirrors of the state by their inputs", async () => {
    const inputs = {
      source: "east",
      stack: "p/s",
      clusters: {},
      links: [],
      revision: 1,
      mirrors: {},
    };
    const type = "pulumi-nodejs:dynamic/linkerd:Mirrors";
    const urn = "urn:pulumi:dev::p::t::east";
    const exported = {
      deployment: {
        resources: [
          { type: "pulumi:pulumi:Stack" },
          { type, urn, inputs: { ...inputs, __provider: "code" } },
          { type, urn, inputs, delete: true },
          { type, urn, inputs: { __provider: "code" } },
        ],
      },
    };
    await script(`echo '${JSON.stringify(exported)}'`);
    deepEqual(await runs.sources(), [inputs]);
    await script(`echo '{"deployment":{}}'`);
    deepEqual(await runs.sources(), []);
  });
});

describe("the table of processes", () => {
  it("tells a process by its mark, and whether it is still the same", async function () {
    if (process.platform !== "linux") {
      console.log("      skipped: there is no /proc here");
      this.skip();
    }
    const child = spawn("sleep", ["300"], { env: { ...process.env, [runVariable]: "marked" } });
    const { pid = 0 } = child;
    const identity = processTable.identity(pid);
    match(identity ?? "", /^[\w-]+\/\d+$/);
    await until("its mark", [], () =>
      Promise.resolve(processTable.markedBy("marked").includes(pid) || undefined),
    );
    deepEqual(processTable.markedBy("mark"), []);
    processTable.kill(pid);
    await once(child, "exit");
    equal(processTable.identity(pid), undefined);
    processTable.kill(pid);
  });
});
