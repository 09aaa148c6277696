import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";

import { until } from "../../bed/bed.ts";
import { type HoldingProxy, startProxy } from "../../bed/proxy.ts";
import { writeKubeconfig } from "../../unit/kubernetes/scripted-cluster.ts";
import { isProvider, running } from "../watched-runs.ts";
import { exportedService } from "./objects.ts";
import { bedWithGateway, create, type SharedBed } from "./shared-bed.ts";
import { type Run, Stack } from "./stack.ts";
import { servicesIn } from "./view.ts";

const namespace = "interrupted";
/** The program writes fewer at a time, so that an interruption leaves some that it has not attempted. */
const names = Array.from({ length: 60 }, (_, index) => `web-${String(index).padStart(2, "0")}`);

/** The promise is 5 s. A busy machine may need longer. */
const boundMs = 10_000;

const isRead = ({ url = "" }: IncomingMessage) => url.includes("/endpoints");
const isWrite = ({ method }: IncomingMessage) => method !== "GET";

/** Each test continues from the one before. */
describe("a run that is interrupted while an API server does not answer", function () {
  this.timeout("20m");

  let shared: SharedBed;
  let stack: Stack;
  let proxy: HoldingProxy;

  before(async () => {
    shared = await bedWithGateway(namespace);
    const exported = names.flatMap((name) => exportedService(`${namespace}/${name}`));
    await create(shared.kube.west, exported);
    proxy = await startProxy(shared.bed.clusters.east.access);
    const { server, token } = proxy.access;
    // The proxy speaks plain HTTP, over which a token is sent only if the kubeconfig says so.
    const cluster = { server, "insecure-skip-tls-verify": true };
    const file = join(shared.bed.folder, `${namespace}.kubeconfig`);
    const kubeconfig = await writeKubeconfig(file, "east", { cluster, user: { token } });
    const clusters = { west: {}, east: { kubeconfig } };
    const links = [{ source: "east", target: "west" }];
    stack = await Stack.create(shared, namespace, { clusters, links });
  });
  afterEach(async () => {
    // A run of a failed test must not continue beside the next one.
    for (const { pid } of await family()) process.kill(pid, "SIGKILL");
    proxy.release();
  });
  after(() => proxy.stop());

  it("ends within seconds of Ctrl-C while it reads, and has written nothing", async () => {
    const { text, writes } = await cancelled(isRead);
    assert.match(text, /the run was cancelled/);
    assert.deepEqual(writes, []);
    assert.doesNotMatch(await stack.export(), /linkerd:Mirrors/);
  });

  it("ends within seconds of Ctrl-C while it writes, says what is left, and leaves state without a lock", async () => {
    const { text } = await cancelled(isWrite);
    const [, asked] =
      /(\d+) mirrors: the run was cancelled before cluster east had answered/.exec(text) ?? [];
    const [, left] =
      /the run was cancelled: (\d+) mirrors not attempted; the next run carries on/.exec(text) ??
      [];
    assert.ok(Number(asked) >= 1 && Number(left) >= 1, text);
    assert.equal(Number(asked) + Number(left), names.length, text);
    const state = await stack.export();
    assert.match(state, /linkerd:Mirrors/);
    assert.match(state, /"initErrors"/);
    assert.doesNotMatch(state, /"pending_operations"/);
  });

  it("leaves no lock when its provider is killed, and says that the provider is gone", async () => {
    const { text } = await killed("provider");
    assert.match(text, /error: .*(Unavailable|unavailable|EOF|connection)/);
  });

  it("leaves a lock when its engine is killed, and no process that writes", async () => {
    await killed("engine");
    const { text } = await stack.up({ fails: true });
    assert.match(text, /the stack is currently locked by 1 lock/);
    await stack.run("cancel");
  });

  it("is completed by the next run", async () => {
    await stack.run("up", ["--refresh"]);
    const mirrors = names.map((name) => `${name}-west`);
    assert.deepEqual(await servicesIn(shared.kube.east, namespace), mirrors);
  });

  /** Presses Ctrl-C at the first request that is held. */
  async function cancelled(isHeld: (request: IncomingMessage) => boolean): Promise<Run> {
    const interrupt = new AbortController();
    const begun = proxy.hold(isHeld).then(() => {
      interrupt.abort();
      return performance.now();
    });
    const run = await stack.up({ fails: true, signal: interrupt.signal, patience: 120_000 });
    const took = performance.now() - (await begun);
    assert.ok(took < boundMs, `it took ${took} ms to end:\n${run.text}`);
    return run;
  }

  /** Kills one of the run's processes when some of its writes are done and the others are held. */
  async function killed(whom: "engine" | "provider"): Promise<Run> {
    let passed = 0;
    const held = proxy.hold((request) => isWrite(request) && (passed += 1) > 10);
    let engine = 0;
    const run = stack.up({ fails: true, started: (pid) => (engine = pid) });
    await Promise.race([held, run]);
    const providers = async () => (await family()).filter(isProvider).map(({ pid }) => pid);
    const found = await until("the provider", [], async () => {
      const pids = await providers();
      return pids.length > 0 ? pids : undefined;
    });
    for (const pid of whom === "engine" ? [engine] : found) process.kill(pid, "SIGKILL");
    const isGone = async () => (await providers()).length === 0 || undefined;
    await until("the provider's end", [], isGone, 10);
    // A language host whose engine was killed idles for minutes and keeps the run's output open.
    if (whom === "engine") for (const { pid } of await family()) process.kill(pid, "SIGKILL");
    return run;
  }

  /** Every process of a run has the bed's folder for its temporary files. */
  function family() {
    return running(`TMPDIR=${join(shared.bed.folder, "tmp")}`);
  }
});
