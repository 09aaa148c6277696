import { deepEqual, equal, rejects } from "node:assert/strict";
import { Cache } from "../../../../engine/mirroring/observe/cache.ts";

describe("readings that all links of a run share", () => {
  /** Counts its readings, which end when they are told to. */
  function source() {
    const open: ((error?: Error) => void)[] = [];
    let begun = 0;
    return {
      begun: () => begun,
      read: () => {
        begun += 1;
        const number = begun;
        return new Promise<number>((resolve, reject) => {
          open.push((error) => {
            if (error === undefined) resolve(number);
            else reject(error);
          });
        });
      },
      /** Ends the one that is under way, once it is. */
      end: async (error?: Error) => {
        await new Promise((resolve) => setImmediate(resolve));
        open.shift()?.(error);
      },
    };
  }

  it("are taken once, and a failure is shared too", async () => {
    const readings = new Cache<number>();
    const west = source();
    const both = [readings.get("west", west.read), readings.get("west", west.read)];
    await west.end(new Error("no route to host"));
    for (const each of both) await rejects(each, /no route/);
    await rejects(readings.get("west", west.read), /no route/);
    equal(west.begun(), 1);
  });

  it("begin after the call where that is asked for, and then serve everybody", async () => {
    const readings = new Cache<number>();
    const west = source();
    const first = readings.get("west", west.read);
    await west.end();
    const second = readings.anew("west", west.read);
    const third = readings.get("west", west.read);
    await west.end();
    equal(await first, 1);
    deepEqual(await Promise.all([second, third]), [2, 2]);
  });

  it("that begin anew while one is under way are one reading, after it", async () => {
    const readings = new Cache<number>();
    const west = source();
    const first = readings.get("west", west.read);
    await new Promise((resolve) => setImmediate(resolve));
    const later = [1, 2, 3].map(() => readings.anew("west", west.read));
    equal(west.begun(), 1);
    await west.end();
    equal(await first, 1);
    await new Promise((resolve) => setImmediate(resolve));
    const after = readings.anew("west", west.read);
    await west.end();
    deepEqual(await Promise.all(later), [2, 2, 2]);
    await west.end();
    equal(await after, 3);
  });

  it("begin anew after one that failed", async () => {
    const readings = new Cache<number>();
    const west = source();
    const first = readings.get("west", west.read);
    await west.end(new Error("gone"));
    const second = readings.anew("west", west.read);
    await rejects(first, /gone/);
    await west.end();
    equal(await second, 2);
  });

  it("are of one cluster each", async () => {
    const readings = new Cache<number>();
    const [west, east] = [source(), source()];
    const both = [readings.get("west", west.read), readings.get("east", east.read)];
    await west.end();
    await east.end();
    deepEqual(await Promise.all(both), [1, 1]);
  });

  it("are renewed once after a cluster was written to, and not else", async () => {
    const readings = new Cache<number>();
    const west = source();
    const read = async () => {
      const reading = readings.get("west", west.read);
      await west.end();
      return reading;
    };
    equal(await read(), 1);
    readings.renew("west");
    equal(await read(), 1);
    readings.outdate("west");
    equal(await read(), 1);
    readings.renew("west");
    equal(await read(), 2);
    readings.renew("west");
    equal(await read(), 2);
  });
});
