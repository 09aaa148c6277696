import assert from "node:assert/strict";
import { channel } from "node:diagnostics_channel";
import { once } from "node:events";
import { cancelledWords } from "../../../engine/kubernetes/client/deadline.ts";
import { poll } from "../../../engine/kubernetes/client/retry.ts";
import { cancellationBy, cancelCalls, unlessCancelled } from "../../../engine/providers/process.ts";
import { MirrorsProvider } from "../../../engine/providers/mirrors.ts";
import { SimulatedClusters } from "../../simulation/clusters.ts";
import { serverWith } from "../../simulation/contents.ts";
import { writesTo } from "../../simulation/outcome.ts";
import { argsFor } from "../fixtures/checked.ts";
import { cluster, exported, exporting } from "../fixtures/objects.ts";
import { UserError } from "../../../engine/user-error.ts";

/** What Node publishes for a call of the engine, which tests/e2e/mirroring/cancel.test.ts makes. */
function call(path: string): void {
  channel("http2.server.stream.created").publish({ headers: { ":path": path } });
}

describe("the call that cancels a run", () => {
  it("is one of all that the server gets", async () => {
    // The engine's own would cancel this process, and so all other tests.
    const cancel = "/test/Cancel";
    const { stop, abort } = cancellationBy((called) => {
      cancelCalls(called, cancel);
    }, 1);
    call("/pulumirpc.ResourceProvider/Create");
    assert.equal(stop.aborted, false);
    call(cancel);
    assert.equal(stop.aborted, true);
    if (!abort.aborted) await once(abort, "abort");
  });
});

describe("a method of a cancelled run", () => {
  it("ends with an error, whatever came of it, and without a stack trace", async () => {
    for (const work of [() => Promise.resolve(1), () => Promise.reject(new UserError("away"))])
      await assert.rejects(unlessCancelled({ isCancelled: true }, work), (error: Error) => {
        assert.equal(error.message, `${cancelledWords}; the next run begins there again`);
        assert.equal(error.stack, error.message);
        return true;
      });
  });

  it("is left alone while the run is not cancelled", async () => {
    assert.equal(await unlessCancelled({ isCancelled: false }, () => Promise.resolve(1)), 1);
    await assert.rejects(
      unlessCancelled({ isCancelled: false }, () => Promise.reject(new Error("away"))),
      /^Error: away$/,
    );
  });

  it("does not look again at what it waits for", async () => {
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

  it("of mirrors does not take what it can't read for a cluster that is away", async () => {
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
