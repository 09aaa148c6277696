import { deepEqual, equal } from "node:assert/strict";

import type { SourceStatus, State, WatchEvent } from "../../../../tool/watch/events.ts";
import { watchMetrics } from "../../../../tool/watch/metrics.ts";

const state = (name: State): WatchEvent => ({ event: "state", state: name, why: [] });
const added = (cluster: string): WatchEvent => ({
  ...{ event: "clusterAdded", cluster, kinds: ["services", "links"] },
});
const dryRun = (more: Partial<SourceStatus> = {}): WatchEvent => ({
  ...{ event: "dryRun", milliseconds: 2_500 },
  sources: [
    {
      ...{ source: "east", status: "inSync", refusals: [], unreachable: {} },
      parts: { west: { mirrors: 12, notMirrored: 1 } },
      ...more,
    },
  ],
});

describe("metrics of the watch", () => {
  let now: number;
  let metrics: ReturnType<typeof watchMetrics>;

  beforeEach(() => {
    now = 1_000;
    metrics = watchMetrics(600_000, () => now);
  });

  /** Samples as `runs_total{command=up,result=failed} 1`, of metrics whose names begin so. */
  const all = async (...starts: readonly string[]) =>
    (await metrics.text())
      .split("\n")
      .map((line) => line.replace("linkerd_multicluster_", "").replaceAll('"', ""))
      .filter((line) => starts.some((start) => line.startsWith(start)));
  /** Those that are not 0, once this is told. */
  const after = async (events: readonly WatchEvent[], ...starts: readonly string[]) => {
    for (const event of events) metrics.observe(event);
    return (await all(...starts)).filter((text) => !text.endsWith(" 0") && !/bucket/.test(text));
  };

  it("have every value of a fixed label from the start", async () => {
    const counts = { runs_total: 8, triggers_total: 3, "state{": 6, leftovers_cleared_total: 1 };
    const commands = { last_run_timestamp_seconds: 2, run_duration_seconds_count: 2 };
    for (const [name, count] of Object.entries({ ...counts, ...commands, last_success: 1 }))
      equal((await all(name)).length, count, name);
    deepEqual(await all("resync"), ["resync_interval_seconds 600"]);
  });

  it("count runs, how long they take, and what they change", async () => {
    const found = await after(
      [
        {
          event: "runEnded",
          command: "preview",
          result: "succeeded",
          changes: 5,
          milliseconds: 900,
        },
        { event: "runEnded", command: "up", result: "failed", changes: 2, milliseconds: 4_000 },
      ],
      ...["run", "last_run"],
    );
    deepEqual(found, [
      ...[
        "runs_total{command=preview,result=succeeded} 1",
        "runs_total{command=up,result=failed} 1",
      ],
      "run_changes_total 2",
      ...["preview", "up"].map((command) => `last_run_timestamp_seconds{command=${command}} 1000`),
      ...[
        "run_duration_seconds_sum{command=preview} 0.9",
        "run_duration_seconds_count{command=preview} 1",
      ],
      ...["run_duration_seconds_sum{command=up} 4", "run_duration_seconds_count{command=up} 1"],
    ]);
  });

  it("tell the state, the last success and failures in a row", async () => {
    const names = ["state", "last_success", "consecutive"];
    const success = "last_success_timestamp_seconds 1000";
    await after([state("settled")]);
    now = 2_000;
    const failing = await after([state("failing"), state("running"), state("locked")], ...names);
    deepEqual(failing, ["state{state=locked} 1", success, "consecutive_failures 2"]);
    deepEqual(await after([state("refused")], ...names), ["state{state=refused} 1", success]);
  });

  it("tell which watches are connected, and forget a cluster that leaves the stack", async () => {
    const events: readonly WatchEvent[] = [
      ...[added("east"), added("west"), dryRun()],
      { event: "watching", cluster: "east", kind: "services" },
      { event: "watching", cluster: "east", kind: "links" },
      { event: "watchLost", cluster: "east", kind: "links", why: "refused", retryIn: 500 },
    ];
    const names = ["watch_", "cluster_reachable"];
    deepEqual(await after(events, ...names), [
      "watch_losses_total{cluster=east,kind=links} 1",
      "watch_connected{cluster=east,kind=services} 1",
      ...["cluster_reachable{cluster=east} 1", "cluster_reachable{cluster=west} 1"],
    ]);
    await after([{ event: "clusterRemoved", cluster: "east" }]);
    const left = await all(...names);
    deepEqual([left.length, left.filter((text) => text.includes("east"))], [5, []]);
  });

  it("tell mirrors of each link, refusals, and which clusters a dry run could read", async () => {
    const unreachable = { west: "does not answer" };
    const refused = dryRun({ refusals: ["too many"], unreachable, gateways: { west: false } });
    await after([added("east"), added("west"), refused]);
    const names = [
      "mirrors",
      "refusals",
      "cluster_reachable",
      "look_duration_seconds_sum",
      "gateway",
    ];
    deepEqual(await all(...names), [
      ...["cluster_reachable{cluster=east} 1", "cluster_reachable{cluster=west} 0"],
      "refusals{source=east} 1",
      "mirrors{source=east,target=west,state=mirrored} 12",
      "mirrors{source=east,target=west,state=not_mirrored} 1",
      "gateway_alive{source=east,target=west} 0",
      "look_duration_seconds_sum 2.5",
    ]);
    // The link has gone.
    deepEqual(await after([dryRun({ parts: {} })], ...names), [
      ...["cluster_reachable{cluster=east} 1", "cluster_reachable{cluster=west} 1"],
      "look_duration_seconds_sum 5",
    ]);
  });

  it("tell since when a change waits, how long it took, and what expires", async () => {
    const pending = "change_pending_timestamp_seconds";
    deepEqual(await after([state("starting")], pending), []);
    const triggered = { cluster: "west", about: "services shop/web" } as const;
    const change: WatchEvent = { event: "triggered", reason: "event", ...triggered };
    for (; now < 1_006; now += 3) deepEqual(await after([change], pending), [`${pending} 1000`]);
    const events: readonly WatchEvent[] = [
      ...[dryRun(), { event: "converged", milliseconds: 6_000 } as const, state("settled")],
      { event: "lockCleared", lock: "x" },
      { event: "expiries", certificates: { "the trust anchor": "1970-01-01T00:00:01Z" } },
      { event: "expiries", certificates: { "an issuer": "1970-01-01T01:00:00Z" } },
    ];
    const names = [pending, "convergence_seconds_sum", "leftovers", "triggers", "certificate"];
    deepEqual(await after(events, ...names), [
      ...["triggers_total{reason=event} 2", "leftovers_cleared_total{what=lock} 1"],
      "certificate_expiry_timestamp_seconds{certificate=an issuer} 3600",
      "convergence_seconds_sum 6",
    ]);
  });
});
