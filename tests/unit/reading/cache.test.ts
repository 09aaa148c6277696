import { deepEqual, equal, rejects } from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { Cache } from "../../../engine/reading/cache.ts";

/** Makes readings of one cluster that count themselves, and end when the test says so. */
function cluster(name = "west", readings = new Cache<number>()) {
  const open: PromiseWithResolvers<number>[] = [];
  let begun = 0;
  const read = () => {
    begun += 1;
    open.push(Promise.withResolvers());
    return open.at(-1)?.promise ?? Promise.reject(new Error("none is open"));
  };
  return {
    readings,
    begun: () => begun,
    get: () => readings.get(name, read),
    anew: () => readings.refetch(name, read),
    end: async (error?: Error) => {
      await turn();
      const reading = open.shift();
      if (error === undefined) reading?.resolve(begun);
      else reading?.reject(error);
      await turn();
    },
  };
}

describe("the cache of readings", () => {
  it("reads each cluster once, and shares failures too", async () => {
    const west = cluster();
    const east = cluster("east", west.readings);
    const both = [west.get(), west.get()];
    const other = east.get();
    await west.end(new Error("no route to host"));
    await east.end();
    for (const each of [...both, west.get()]) await rejects(each, /no route/);
    deepEqual([west.begun(), await other], [1, 1]);
  });

  for (const failure of [undefined, new Error("gone")])
    it(`begins another reading on request, which then serves everybody (${failure?.message ?? "read"})`, async () => {
      const west = cluster();
      const first = west.get().catch(() => 0);
      await west.end(failure);
      const later = [west.anew(), west.get()];
      await west.end();
      equal(await first, failure === undefined ? 1 : 0);
      deepEqual(await Promise.all(later), [2, 2]);
    });

  it("shares the next reading among requests that arrive during one", async () => {
    const west = cluster();
    const first = west.get();
    await turn();
    const later = [1, 2, 3].map(() => west.anew());
    equal(west.begun(), 1);
    await west.end();
    equal(await first, 1);
    const after = west.anew();
    await west.end();
    deepEqual(await Promise.all(later), [2, 2, 2]);
    await west.end();
    equal(await after, 3);
  });

  it("renews a reading once after a write, and only then", async () => {
    const west = cluster();
    const { readings } = west;
    const read = async () => {
      const reading = west.get();
      await west.end();
      return reading;
    };
    equal(await read(), 1);
    readings.refresh("west");
    equal(await read(), 1);
    readings.markStale("west");
    equal(await read(), 1);
    readings.refresh("west");
    equal(await read(), 2);
    readings.refresh("west");
    equal(await read(), 2);
  });
});
