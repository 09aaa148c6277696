import { deepEqual, equal } from "node:assert/strict";

import type { Inputs } from "../../../engine/mirroring/model/state.ts";
import type { WatchEvent } from "../../../engine/watch/events.ts";
import { MeshWatch } from "../../../engine/watch/mesh-watch.ts";
import { VirtualTime } from "../../simulation/time.ts";

function sources(alive: boolean, period: string, gatewayProbe = true): Inputs[] {
  const clusters = { east: { context: "east" }, west: { context: "west" } };
  const links = [{ source: "east", target: "west", gatewayProbe }];
  const rest = { source: "east", stack: "p/s", clusters, mirrors: {}, revision: 1 };
  const west = {
    ...{ addresses: "198.51.100.7", port: 4143, identity: "gateway.example" },
    probe: { path: "/ready", port: 4191, period, threshold: 2, alive },
  };
  return [{ ...rest, links, identities: {}, gateways: { west } }];
}

describe("probes of gateways between runs", () => {
  const [up, down, away] = [undefined, "HTTP status 503", "no answer"];
  const back = "west answers its probe again";

  /** What is told in a minute after each of the updates, by what probes find in turn: the last of it for ever. */
  async function probed(found: readonly (string | undefined)[], ...updates: readonly Inputs[][]) {
    const time = new VirtualTime();
    const told: string[] = [];
    const observe = (event: WatchEvent) => {
      if (event.event === "triggered") told.push(`${event.cluster} ${event.about}`);
    };
    const connect = () => new Promise<never>(() => undefined);
    let sent = 0;
    const send = () => Promise.resolve(found[Math.min((sent += 1), found.length) - 1]);
    const meshWatch = new MeshWatch({ observe, time, connect, send });
    for (const update of updates) {
      void meshWatch.update(update);
      await time.sleep(59_500);
    }
    void meshWatch.update([]);
    return { told, sent };
  }

  for (const [what, alive, found, expected] of [
    [
      "that fails as often as its threshold, once, and of its return",
      ...[true, [down, up, away, away, away, up], ["west fails its probe (no answer)", back]],
    ],
    ["that mirrors know to be down, and that is back", false, [away, away, up], [back]],
    ["never, as long as it is as mirrors know it", true, [up], []],
  ] as const)
    it(`tell of a gateway ${what}`, async () => {
      deepEqual((await probed(found, sources(alive, "3s"))).told, expected);
    });

  for (const [what, count, ...updates] of [
    ["in the period of the gateway's Service", 19, sources(true, "3s")],
    ["no more often than each second", 59, sources(true, "10ms")],
    ["as before where nothing has changed", 39, sources(true, "3s"), sources(true, "3s")],
    ["for links that ask for them", 0, sources(true, "3s", false)],
    ["no longer than that", 19, sources(true, "3s"), sources(true, "3s", false)],
  ] as const)
    it(`come ${what}`, async () => {
      equal((await probed([up], ...updates)).sent, count);
    });
});
