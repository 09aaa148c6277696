import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import http2 from "node:http2";
import type { AddressInfo } from "node:net";
import { type Cancellation, cancelledWords } from "../../../engine/kubernetes/client/deadline.ts";
import { poll } from "../../../engine/kubernetes/client/retry.ts";
import { cancellationBy, cancelCalls, unlessCancelled } from "../../../engine/providers/process.ts";
import { MirrorsProvider } from "../../../engine/providers/mirrors.ts";
import { SimulatedClusters } from "../../simulation/clusters.ts";
import { serverWith } from "../../simulation/contents.ts";
import { writesTo } from "../../simulation/outcome.ts";
import { argsFor } from "../fixtures/checked.ts";
import { cluster, exported, exporting } from "../fixtures/objects.ts";
import { UserError } from "../../../engine/base/user-error.ts";

/** The engine's own path would cancel all other tests; tests/e2e/mirroring/interrupted.test.ts uses it. */
const path = "/test/Cancel";
const channel = "http2.server.stream.created";

describe("the call that cancels a run", () => {
  let server: http2.Http2Server;
  let client: http2.ClientHttp2Session;
  let cancellation: Cancellation;

  beforeEach(async function () {
    server = http2.createServer((_, response) => response.end());
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    client = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    cancellation = cancellationBy((cancel) => {
      cancelCalls(cancel, path);
    }, 1);
    const told: unknown[] = [];
    const listener = (message: unknown) => told.push(message);
    subscribe(channel, listener);
    await call("/probe");
    unsubscribe(channel, listener);
    if (told.length > 0) return;
    console.log(`      Node ${process.version} does not tell of requests to an http2 server`);
    this.skip();
  });
  afterEach(() => {
    client.destroy();
    server.close();
  });

  const call = async (method: string) => {
    const request = client.request({ ":path": method, ":method": "POST" });
    request.end();
    request.resume();
    await once(request, "end");
  };

  it("is recognized among all calls of the server", async () => {
    await call("/pulumirpc.ResourceProvider/Create");
    assert.equal(cancellation.stop.aborted, false);
    await call(path);
    assert.equal(cancellation.stop.aborted, true);
    if (!cancellation.abort.aborted) await once(cancellation.abort, "abort");
  });
});

describe("a method of a cancelled run", () => {
  it("ends with an error and no stack trace, whatever its result", async () => {
    for (const work of [() => Promise.resolve(1), () => Promise.reject(new UserError("away"))])
      await assert.rejects(unlessCancelled({ isCancelled: true }, work), (error: Error) => {
        assert.equal(error.message, `${cancelledWords}; the next run begins there again`);
        assert.equal(error.stack, error.message);
        return true;
      });
  });

  it("stops polling", async () => {
    const stop = new AbortController();
    let looks = 0;
    const look = () => {
      looks += 1;
      stop.abort();
      return Promise.resolve(looks);
    };
    assert.equal(
      await poll(look, () => false, { within: 600_000, every: 600, stop: stop.signal }),
      1,
    );
  });

  it("does not mistake a cancelled reading for an unreachable cluster", async () => {
    const clusters = {
      east: serverWith(cluster("east", { namespaces: ["shop"] })),
      west: serverWith(exporting("west", [exported("shop/web")])),
    };
    const provider = new MirrorsProvider({
      clusters: new CancelledWorld(clusters),
      say: () => undefined,
    });
    const args = argsFor(["west"]);
    const inputs = { ...args, mirrors: {}, revision: 1 };
    const before = /^Error: the run was cancelled before anything was written to east/;
    await assert.rejects(provider.check({}, args), /the run was cancelled/);
    await assert.rejects(provider.create(inputs), before);
    await assert.rejects(provider.delete("east", inputs), before);
    assert.deepEqual(writesTo(clusters.east), []);
  });
});

class CancelledWorld extends SimulatedClusters {
  override get isCancelled(): boolean {
    return true;
  }
}
