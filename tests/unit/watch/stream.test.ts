import { deepEqual, equal } from "node:assert/strict";

import { KubernetesError } from "../../../engine/kubernetes/errors.ts";
import type { FailureKind } from "../../../engine/kubernetes/failure.ts";
import { resources } from "../../../engine/kubernetes/resources.ts";
import type { WatchCalls, Watching } from "../../../engine/kubernetes/watching.ts";
import { stream } from "../../../engine/watch/stream.ts";
import { VirtualTime } from "../../simulation/time.ts";

const place = { cluster: "west", context: "west", server: "https://west" };

function failure(kind: FailureKind): KubernetesError {
  const operation = { verb: "watch", resource: resources.services, at: {} } as const;
  return new KubernetesError(place, operation, { kind, transient: false }, 1);
}

/** What a watch brings before it ends: a version to go on from, or an error. */
type End = string | Error;

/** Follows the Services of a cluster whose watches end as the list says; what it does, in order. */
async function followed(ends: readonly End[], length = 60_000): Promise<string[]> {
  const time = new VirtualTime();
  const done: string[] = [];
  const stop = new AbortController();
  const rest = [...ends];
  let version = 0;
  const watching: Watching = {
    cluster: "west",
    list: () => {
      done.push("list");
      version += 100;
      return Promise.resolve({ items: [], resourceVersion: String(version) });
    },
    version: () => Promise.resolve("0"),
    async watch(_resource, from, { opened }: WatchCalls) {
      done.push(`watch ${from}`);
      opened();
      const end = rest.shift();
      if (end === undefined) {
        stop.abort();
        return from;
      }
      if (typeof end === "string") {
        await time.sleep(length);
        return end;
      }
      throw end;
    },
    close: () => Promise.resolve(),
  };
  const calls = {
    listed: () => undefined,
    changed: () => undefined,
    opened: () => done.push("opened"),
    lost: (_: unknown, wait: number) => done.push(`lost, again after ${wait}`),
  };
  const settings = { resource: resources.services, lists: true, time, signal: stop.signal };
  await stream({ ...settings, watching: () => Promise.resolve(watching) }, calls);
  return done;
}

describe("the watch of one kind of objects", () => {
  it("goes on where it was when the server ends it", async () => {
    deepEqual(await followed(["120", "130"]), [
      ...["list", "watch 100", "opened", "watch 120", "watch 130"],
    ]);
  });

  it("lists anew, at once, when the server no longer knows the version", async () => {
    deepEqual(await followed([failure("gone")]), [
      ...["list", "watch 100", "opened", "lost, again after 0", "list", "watch 200", "opened"],
    ]);
  });

  it("lists anew after anything else, with a wait that grows", async () => {
    const done = await followed([failure("unreachable"), failure("server"), failure("gone")]);
    deepEqual(
      done.filter((line) => line.startsWith("lost")),
      [375, 750, 1500].map((wait) => `lost, again after ${wait}`),
    );
    equal(done.filter((line) => line === "list").length, 4);
  });

  it("does not ask a server all the time that ends every watch at once", async () => {
    const done = await followed(["101", "102"], 10);
    deepEqual(
      done.filter((line) => line.startsWith("lost")),
      [375, 750].map((wait) => `lost, again after ${wait}`),
    );
  });

  it("begins to count anew once a watch has lasted", async () => {
    const done = await followed([failure("server"), "210", failure("server")]);
    deepEqual(
      done.filter((line) => line.startsWith("lost")),
      [375, 375].map((wait) => `lost, again after ${wait}`),
    );
  });
});
