import assert from "node:assert/strict";
import { join } from "node:path";

import { mark, requestsOf, until } from "../../bed/bed.ts";
import { newStack, type RunOutcome, type PulumiStack } from "../../bed/stack.ts";
import { exportedService, kinds, service } from "./objects.ts";
import { bedWithGateway, create, type SharedBed } from "./shared-bed.ts";
import { isProvider, running } from "../watched-runs.ts";

const namespace = "killed";
/** In the way of a mirror, and no mirror of anything. */
const foreign = ["service-0-west", "unrelated"];

/** More than two runs can write between two looks at what they have written. */
const names = Array.from({ length: 120 }, (_, index) => `service-${index}`);

/** Each test goes on from the one before. */
describe("a process that is killed in the middle of its writes", function () {
  this.timeout("20m");

  let shared: SharedBed;
  let stack: PulumiStack;
  let planted: unknown;
  const up = ["up", "--yes", "--skip-preview"];

  before(async () => {
    shared = await bedWithGateway(namespace);
    const exported = names.flatMap((name) => exportedService(`${namespace}/${name}`));
    await create(shared.kube.west, exported);
    const theirs = foreign.map((name) => service(`${namespace}/${name}`));
    await create(shared.kube.east, theirs);
    planted = await foreignObjects();
    const links = [{ source: "east", target: "west" }];
    const config = { manage: "mirrors", clusters: { west: {}, east: {} }, links };
    stack = await newStack(shared.bed, namespace, config);
  });

  it("leaves no lock if it is the provider, and the engine says that it is gone", async () => {
    const { text } = await killed("provider");
    assert.match(text, /error: .*(Unavailable|unavailable|EOF|connection)/);
  });

  it("leaves a lock if it is the engine, and nothing goes on writing", async () => {
    await killed("engine");
    const locked = await stack.run(up);
    assert.notEqual(locked.code, 0);
    assert.match(locked.text, /the stack is currently locked by 1 lock/);
    await stack.pulumi("cancel", "--yes");
  });

  it("is repaired completely by the next run", async () => {
    await stack.pulumi(...up, "--refresh");
    const { east } = shared.kube;
    const all = async (kind: "Service" | "Endpoints") =>
      (await east.list(kinds[kind], { namespace })).map(({ metadata: { name } }) => name).sort();
    const mirrors = names.map((name) => `${name}-west`);
    assert.deepEqual(await all("Service"), [...new Set([...mirrors, ...foreign])].sort());
    assert.deepEqual(
      await all("Endpoints"),
      mirrors.filter((name) => !foreign.includes(name)).sort(),
    );
    assert.deepEqual(await foreignObjects(), planted);
  });

  /**
   * Kills one of the processes of an update once it has written something and has not come to the
   * end. Returns once nobody is left who could write.
   */
  async function killed(whom: "engine" | "provider"): Promise<RunOutcome> {
    const { east } = shared.bed.clusters;
    const before = await mark(east);
    let engine = 0;
    let ended = false;
    const run = stack.run(up, { started: (pid) => (engine = pid) }).finally(() => (ended = true));
    await until("the first write", [], async () => {
      const requests = await requestsOf(before, "linkerd-multicluster/");
      return (
        requests.some(({ verb }) => ["create", "update", "delete"].includes(verb)) || undefined
      );
    });
    // What is on its way can't arrive now, so that the run can't come to its end either.
    await east.cut("silent");
    assert.equal(ended, false, "the run was through before it could be killed");
    // Every process of a run has the bed's folder for its temporary files.
    const family = () => running(`TMPDIR=${join(shared.bed.folder, "tmp")}`);
    const providers = async () => (await family()).filter(isProvider).map(({ pid }) => pid);
    const found = await providers();
    assert.notEqual(found.length, 0);
    for (const pid of whom === "engine" ? [engine] : found) process.kill(pid, "SIGKILL");
    try {
      const gone = async () => (await providers()).length === 0 || undefined;
      await until("the provider's end", [], gone, 10);
    } finally {
      for (const { pid } of await family()) if (pid !== engine) process.kill(pid, "SIGKILL");
      await east.restore();
    }
    const outcome = await run;
    assert.notEqual(outcome.code, 0);
    return outcome;
  }

  function foreignObjects(): Promise<unknown> {
    const { east } = shared.kube;
    return Promise.all(foreign.map((name) => east.get(kinds.Service, { namespace, name })));
  }
});
