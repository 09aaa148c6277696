import { deepEqual, equal } from "node:assert/strict";

import type { SourceStatus, State, WatchEvent } from "../../../engine/watch/events.ts";
import { watchMetrics } from "../../../engine/watch/metrics.ts";
import { samplesIn } from "./exposition.ts";

const east: SourceStatus = {
  ...{ source: "east", status: "inSync", refusals: [], unreachable: {} },
  parts: { west: { mirrors: 12, notMirrored: 1 } },
};
const state = (name: State): WatchEvent => ({ event: "state", state: name, why: [] });
const added = (cluster: string): WatchEvent => ({
  ...{ event: "clusterAdded", cluster, kinds: ["services", "links"] },
});
const dryRun = (more: Partial<SourceStatus> = {}): WatchEvent => ({
  ...{ event: "dryRun", milliseconds: 2_500, sources: [{ ...east, ...more }] },
});

describe("metrics of the watch", () => {
  let now: number;
  let metrics: ReturnType<typeof watchMetrics>;

  beforeEach(() => {
    now = 1_000;
    metrics = watchMetrics(600_000, () => now);
  });

  const tell = (...events: readonly WatchEvent[]) => {
    for (const event of events) metrics.observe(event);
  };
  /** Samples whose text starts so, `runs_total{command=up,result=failed} 1`, without those of 0. */
  const samples = async (...starts: readonly string[]) =>
    samplesIn(await metrics.text())
      .map(({ name, labels, value }) => {
        const pairs = Object.entries(labels).map(([label, text]) => `${label}=${text}`);
        const inner = pairs.length === 0 ? "" : `{${pairs.sort().join(",")}}`;
        return `${name.replace("linkerd_multicluster_", "")}${inner} ${value}`;
      })
      .filter((text) => starts.some((start) => text.startsWith(start)));
  const isSet = (text: string) => !text.endsWith(" 0");

  it("have every value of a fixed label from the start", async () => {
    for (const [name, count] of [
      ...([
        ["runs_total", 8],
        ["triggers_total", 4],
        ["state{", 6],
      ] as const),
      ...([
        ["leftovers_cleared_total", 1],
        ["last_run_timestamp_seconds", 2],
      ] as const),
      ["run_duration_seconds_count", 2],
    ] as const)
      equal((await samples(name)).length, count, name);
    deepEqual(await samples("last_success", "resync"), [
      ...["last_success_timestamp_seconds 0", "resync_interval_seconds 600"],
    ]);
  });

  it("count runs, how long they take, and what they change", async () => {
    tell(
      { event: "runEnded", command: "preview", result: "succeeded", changes: 5, milliseconds: 900 },
      { event: "runEnded", command: "up", result: "failed", changes: 2, milliseconds: 4_000 },
    );
    deepEqual(
      (await samples("run", "last_run")).filter(isSet).filter((text) => !/bucket/.test(text)),
      [
        "runs_total{command=preview,result=succeeded} 1",
        "runs_total{command=up,result=failed} 1",
        "run_changes_total 2",
        ...["preview", "up"].map(
          (command) => `last_run_timestamp_seconds{command=${command}} 1000`,
        ),
        ...[
          "run_duration_seconds_sum{command=preview} 0.9",
          "run_duration_seconds_count{command=preview} 1",
        ],
        ...["run_duration_seconds_sum{command=up} 4", "run_duration_seconds_count{command=up} 1"],
      ],
    );
  });

  it("tell the state, the last success and failures in a row", async () => {
    const all = async () => (await samples("state", "last_success", "consecutive")).filter(isSet);
    tell(state("settled"));
    now = 2_000;
    tell(state("failing"), state("running"), state("locked"));
    const success = "last_success_timestamp_seconds 1000";
    deepEqual(await all(), ["state{state=locked} 1", success, "consecutive_failures 2"]);
    tell(state("refused"));
    deepEqual(await all(), ["state{state=refused} 1", success]);
  });

  it("tell which watches are connected, and forget a cluster that leaves the stack", async () => {
    tell(added("east"), added("west"), dryRun());
    for (const kind of ["services", "links"] as const)
      tell({ event: "watching", cluster: "east", kind });
    tell({ event: "watchLost", cluster: "east", kind: "links", why: "refused", retryIn: 500 });
    const all = () => samples("watch_", "cluster_reachable");
    deepEqual((await all()).filter(isSet), [
      "watch_losses_total{cluster=east,kind=links} 1",
      "watch_connected{cluster=east,kind=services} 1",
      ...["east", "west"].map((cluster) => `cluster_reachable{cluster=${cluster}} 1`),
    ]);
    tell({ event: "clusterRemoved", cluster: "east" });
    equal((await all()).length, 5);
    deepEqual(
      (await all()).filter((text) => text.includes("east")),
      [],
    );
  });

  it("tell mirrors of each link, refusals, and which clusters a dry run could read", async () => {
    tell(added("east"), added("west"));
    tell(dryRun({ refusals: ["too many"], unreachable: { west: "does not answer" } }));
    const all = () =>
      samples("mirrors", "refusals", "cluster_reachable", "look_duration_seconds_sum");
    deepEqual(await all(), [
      ...["cluster_reachable{cluster=east} 1", "cluster_reachable{cluster=west} 0"],
      "refusals{source=east} 1",
      "mirrors{source=east,state=mirrored,target=west} 12",
      "mirrors{source=east,state=not_mirrored,target=west} 1",
      "look_duration_seconds_sum 2.5",
    ]);
    // The link has gone.
    tell(dryRun({ parts: {} }));
    deepEqual(await all(), [
      ...["cluster_reachable{cluster=east} 1", "cluster_reachable{cluster=west} 1"],
      ...["refusals{source=east} 0", "look_duration_seconds_sum 5"],
    ]);
  });

  it("tell since when a change waits, how long it took, and what expires", async () => {
    tell({ event: "triggered", reason: "event", cluster: "west", about: "services shop/web" });
    const pending = "change_pending_timestamp_seconds";
    deepEqual(await samples(pending), [`${pending} 1000`]);
    now = 1_006;
    tell(
      dryRun(),
      { event: "converged", milliseconds: 6_000 },
      state("settled"),
      { event: "lockCleared", lock: "x" },
      { event: "expiries", certificates: { "the trust anchor": "1970-01-01T00:00:01Z" } },
      { event: "expiries", certificates: { "an issuer": "1970-01-01T01:00:00Z" } },
    );
    const names = [pending, "convergence_seconds_sum", "leftovers", "triggers", "certificate"];
    deepEqual((await samples(...names)).filter(isSet), [
      "triggers_total{reason=event} 1",
      "leftovers_cleared_total{what=lock} 1",
      "certificate_expiry_timestamp_seconds{certificate=an issuer} 3600",
      "convergence_seconds_sum 6",
    ]);
  });
});
