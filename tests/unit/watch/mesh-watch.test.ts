import { deepEqual } from "node:assert/strict";

import type { Time } from "../../../engine/kubernetes/client/retry.ts";
import type { Inputs } from "../../../engine/mirroring/model/state.ts";
import type { WatchEvent } from "../../../engine/watch/events.ts";
import { MeshWatch } from "../../../engine/watch/mesh-watch.ts";

const gateway = (isAlive: boolean, period = "3s") => ({
  ...{ addresses: "198.51.100.7", port: 4143, identity: "gateway.example" },
  probe: { path: "/ready", port: 4191, period, threshold: 2, alive: isAlive },
});

function sources(west: ReturnType<typeof gateway>, gatewayProbe = true): Inputs[] {
  const clusters = { east: { context: "east" }, west: { context: "west" } };
  const links = [{ source: "east", target: "west", gatewayProbe }];
  const rest = { source: "east", stack: "p/s", clusters, mirrors: {}, revision: 1 };
  return [{ ...rest, links, identities: {}, gateways: { west } }];
}

describe("probes of gateways between runs", () => {
  /** What each probe finds, in turn; once there is no more, the clock stands still. */
  let failures: (string | undefined)[];
  let slept: number[];
  let told: string[];
  let meshWatch: MeshWatch;
  let used: () => void;
  let isUsed: Promise<void>;

  beforeEach(() => {
    failures = [];
    slept = [];
    told = [];
    isUsed = new Promise((resolve) => (used = resolve));
    const time: Time = {
      now: () => 0,
      random: () => 0,
      alarm: () => () => undefined,
      sleep(milliseconds, signal) {
        slept.push(milliseconds);
        if (failures.length > 0) return Promise.resolve();
        used();
        return new Promise((resolve) => {
          signal?.addEventListener("abort", () => {
            resolve();
          });
        });
      },
    };
    const observe = (event: WatchEvent) => {
      if (event.event === "triggered") told.push(`${event.cluster} ${event.about}`);
    };
    const connect = () => new Promise<never>(() => undefined);
    const send = () => Promise.resolve(failures.shift());
    meshWatch = new MeshWatch({ observe, time, connect, send });
  });

  afterEach(() => {
    void meshWatch.update([]);
  });

  it("tell of a gateway that fails as often as its threshold, once, and of its return", async () => {
    failures = ["HTTP status 503", undefined, "no answer", "no answer", "no answer", undefined];
    void meshWatch.update(sources(gateway(true)));
    await isUsed;
    deepEqual(told, ["west fails its probe (no answer)", "west answers its probe again"]);
  });

  it("take a gateway that mirrors know to be down for down", async () => {
    failures = ["no answer", "no answer", undefined];
    void meshWatch.update(sources(gateway(false)));
    await isUsed;
    deepEqual(told, ["west answers its probe again"]);
  });

  it("come in the period of the gateway's Service, no more often than each second", async () => {
    for (const period of ["3s", "10ms"]) {
      void meshWatch.update(sources(gateway(true, period)));
      await isUsed;
    }
    deepEqual(slept, [3_000, 1_000]);
  });

  it("go on where nothing has changed, and are for links that ask for them", async () => {
    void meshWatch.update(sources(gateway(true)));
    await isUsed;
    void meshWatch.update(sources(gateway(true)));
    void meshWatch.update(sources(gateway(true), false));
    deepEqual(slept, [3_000]);
  });
});
