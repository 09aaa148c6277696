import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { type HoldingProxy, startProxy } from "../../bed/proxy.ts";
import { exportedService } from "./objects.ts";
import { bedWithGateway, create, type SharedBed } from "./shared-bed.ts";
import { type Run, Stack } from "./stack.ts";
import { servicesIn } from "./view.ts";

const namespace = "cancelled";
/** More than are written at a time, so that some are not begun. */
const services = Array.from({ length: 60 }, (_, index) => `${namespace}/web-${index}` as const);

/** In ms: what is promised is 5 s, on a machine that has something to spare. */
const bound = 10_000;

describe("Ctrl-C while an API server does not answer", function () {
  this.timeout("20m");

  let shared: SharedBed;
  let stack: Stack;
  let proxy: HoldingProxy;

  before(async () => {
    shared = await bedWithGateway(namespace);
    await create(
      shared.kube.west,
      services.flatMap((service) => exportedService(service)),
    );
    proxy = await startProxy(shared.bed.clusters.east.access);
    const kubeconfig = join(shared.bed.folder, "cancelled.kubeconfig");
    await writeFile(kubeconfig, throughProxy(proxy));
    const clusters = { west: {}, east: { kubeconfig } };
    const links = [{ source: "east", target: "west" }];
    stack = await Stack.create(shared, "cancelled", { clusters, links });
  });
  after(() => proxy.stop());

  it("ends a run that is reading within seconds, and nothing is written", async () => {
    const { text } = await interrupted(({ url = "" }) => url.includes("/endpoints"));
    assert.match(text, /the run was cancelled/);
    assert.doesNotMatch(await stack.export(), /linkerd:Mirrors/);
  });

  it("ends a run that is writing within seconds, and says what is left to do", async () => {
    const { text } = await interrupted(({ method }) => method !== "GET");
    const [, asked] =
      /(\d+) mirrors: the run was cancelled before cluster east had answered/.exec(text) ?? [];
    const [, left] =
      /the run was cancelled: (\d+) mirrors not attempted; the next run carries on/.exec(text) ??
      [];
    // As many are under way as a server gets at a time, and not all of them.
    assert.ok(Number(asked) >= 1 && Number(left) >= 1, text);
    assert.equal(Number(asked) + Number(left), services.length, text);
  });

  it("leaves the resource in the state, and no lock", async () => {
    const state = await stack.export();
    assert.match(state, /linkerd:Mirrors/);
    assert.match(state, /"initErrors"/);
    assert.doesNotMatch(state, /"pending_operations"/);
  });

  it("lets the next run continue", async () => {
    await stack.up();
    assert.equal((await servicesIn(shared.kube.east, namespace)).length, services.length);
  });

  /** Interrupts an update at the first request that is held; prints how long it took to end. */
  async function interrupted(isLike: (request: IncomingMessage) => boolean): Promise<Run> {
    const interrupt = new AbortController();
    let at = 0;
    const begun = proxy.hold(isLike).then(() => {
      at = performance.now();
      interrupt.abort();
    });
    try {
      const options = { fails: true, signal: interrupt.signal, patience: 120_000 };
      const run = await stack.run("up", [], options);
      const took = performance.now() - at;
      await begun;
      console.log(`      it took ${(took / 1000).toFixed(1)} s to end`);
      assert.ok(took < bound, `it took ${took} ms to end:\n${run.text}`);
      return run;
    } finally {
      proxy.release();
    }
  }
});

/** The proxy speaks plain HTTP, to which a token goes only if the kubeconfig says so. */
function throughProxy({ access: { server, token } }: HoldingProxy): string {
  const name = "east";
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": name,
    clusters: [{ name, cluster: { server, "insecure-skip-tls-verify": true } }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
  });
}
