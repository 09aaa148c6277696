import { deepEqual } from "node:assert/strict";
import type { RunEnd, SourceStatus, State, WatchEvent } from "../../../../cli/watch/events.ts";
import { watchMetrics } from "../../../../cli/watch/metrics.ts";

const state = (name: State): WatchEvent => ({ event: "state", state: name, why: [] });
const ended = (command: "preview" | "up", end: RunEnd): WatchEvent => ({
  event: "runEnded",
  command,
  milliseconds: 4_000,
  ...end,
});
const watched = (...clusters: readonly string[]): WatchEvent => ({
  event: "clusters",
  kinds: Object.fromEntries(clusters.map((cluster) => [cluster, ["services", "links"] as const])),
});
const dryRun = (more: Partial<SourceStatus> = {}): WatchEvent => {
  const parts = { west: { mirrors: 12, notMirrored: 1 } };
  const found = { source: "east", status: "inSync", refusals: [], unreachable: {}, parts } as const;
  return { event: "dryRun", milliseconds: 2_500, sources: [{ ...found, ...more }] };
};
const changed: WatchEvent = {
  event: "triggered",
  reason: "event",
  cluster: "west",
  about: "services shop/web",
};

describe("the watch's metrics", () => {
  /** The time is in seconds since 1970. */
  let now: number;
  let metrics: ReturnType<typeof watchMetrics>;

  beforeEach(() => {
    now = 1_000;
    metrics = watchMetrics(600_000, () => now);
  });

  /** Returns samples such as `runs_total{command=up,result=failed} 1` of the metrics with these prefixes. */
  const all = async (...prefixes: readonly string[]) =>
    (await metrics.text())
      .split("\n")
      .map((line) => line.replace("linkerd_multicluster_", "").replaceAll('"', ""))
      .filter((line) => prefixes.some((prefix) => line.startsWith(prefix)));
  /** Returns the samples other than 0 after these events. */
  const after = async (events: readonly WatchEvent[], ...prefixes: readonly string[]) => {
    for (const event of events) metrics.observe(event);
    return (await all(...prefixes)).filter((line) => !line.endsWith(" 0") && !/bucket/.test(line));
  };

  it("start with a sample for each value of a label that is known", async () => {
    const counts = [
      "runs_total",
      "triggers_total",
      "locks_cleared",
      "state{",
      "last_run",
      "last_success",
    ];
    const samples = await Promise.all(counts.map((prefix) => all(prefix)));
    deepEqual(
      samples.map(({ length }) => length),
      [8, 4, 1, 7, 2, 1],
    );
  });

  it("count runs, their duration and their changes", async () => {
    const preview = ended("preview", { result: "succeeded", changes: 5 });
    const failed = ended("up", { result: "failed", changes: 2 });
    deepEqual(await after([preview, failed], "run", "last_run"), [
      "runs_total{command=preview,result=succeeded} 1",
      "runs_total{command=up,result=failed} 1",
      "run_changes_total 2",
      "last_run_timestamp_seconds{command=preview} 1000",
      "last_run_timestamp_seconds{command=up} 1000",
      "run_duration_seconds_sum{command=preview} 4",
      "run_duration_seconds_count{command=preview} 1",
      "run_duration_seconds_sum{command=up} 4",
      "run_duration_seconds_count{command=up} 1",
    ]);
  });

  it("show the state, the last success and consecutive failures", async () => {
    const prefixes = ["state", "last_success", "consecutive"];
    const success = "last_success_timestamp_seconds 1000";
    await after([state("settled")]);
    now = 2_000;
    const failing = await after([state("failing"), state("running"), state("locked")], ...prefixes);
    deepEqual(failing, ["state{state=locked} 1", success, "consecutive_failures 2"]);
    deepEqual(await after([state("refused")], ...prefixes), ["state{state=refused} 1", success]);
  });

  it("show which watches are connected, and forget a cluster that leaves the stack", async () => {
    const events: readonly WatchEvent[] = [
      watched("east", "west"),
      dryRun(),
      { event: "watching", cluster: "east", kind: "services" },
      { event: "watching", cluster: "east", kind: "links" },
      { event: "watchLost", cluster: "east", kind: "links", why: "refused", retryIn: 500 },
    ];
    const prefixes = ["watch_", "cluster_reachable"];
    deepEqual(await after(events, ...prefixes), [
      "watch_losses_total{cluster=east,kind=links} 1",
      "watch_connected{cluster=east,kind=services} 1",
      "cluster_reachable{cluster=east} 1",
      "cluster_reachable{cluster=west} 1",
    ]);
    await after([watched("west"), dryRun()]);
    const left = await all(...prefixes);
    deepEqual([left.length, left.filter((line) => line.includes("east"))], [5, []]);
  });

  it("show what the last dry run found, and nothing older", async () => {
    const unreachable = { west: "does not respond" };
    const gateways = {
      west: { alive: false, milliseconds: 1500 },
      north: { alive: true, milliseconds: 20 },
    };
    const refused = dryRun({ refusals: ["too many"], unreachable, gateways });
    await after([watched("east", "west"), refused]);
    const prefixes = ["mirrors", "refusals", "cluster_", "dry_run_duration_seconds_sum", "gateway"];
    deepEqual(await all(...prefixes), [
      "cluster_reachable{cluster=east} 1",
      "cluster_reachable{cluster=west} 0",
      "refusals{source=east} 1",
      "mirrors{source=east,target=west,state=mirrored} 12",
      "mirrors{source=east,target=west,state=not_mirrored} 1",
      "gateway_alive{source=east,target=west} 0",
      "gateway_alive{source=east,target=north} 1",
      "gateway_probe_seconds{source=east,target=north} 0.02",
      "dry_run_duration_seconds_sum 2.5",
    ]);
    deepEqual(await after([dryRun({ parts: {} })], ...prefixes), [
      "cluster_reachable{cluster=east} 1",
      "cluster_reachable{cluster=west} 1",
      "dry_run_duration_seconds_sum 5",
    ]);
  });

  it("show when the first pending change came, and how long it took to converge", async () => {
    const pending = "change_pending_timestamp_seconds";
    deepEqual(await after([state("starting")], pending), []);
    for (; now < 1_006; now += 3) deepEqual(await after([changed], pending), [`${pending} 1000`]);
    const up = ended("up", { result: "succeeded", changes: 1 });
    deepEqual(await after([dryRun(), up, state("settled")], pending, "convergence", "triggers"), [
      "triggers_total{reason=event} 2",
      "convergence_seconds_sum 6",
      "convergence_seconds_count 1",
    ]);
  });

  it("show cleared locks and when certificates in the state expire", async () => {
    const events: readonly WatchEvent[] = [
      { event: "lockCleared", lock: "x" },
      { event: "expiries", certificates: { "the trust anchor": "1970-01-01T00:00:01Z" } },
      { event: "expiries", certificates: { "an issuer": "1970-01-01T01:00:00Z" } },
    ];
    deepEqual(await after(events, "locks_cleared", "certificate"), [
      "locks_cleared_total 1",
      "certificate_expiry_timestamp_seconds{certificate=an issuer} 3600",
    ]);
  });

  it("show the last step of a rotation", async () => {
    const events: readonly WatchEvent[] = [
      { event: "rotation", stage: "bundle", waitsFor: 2 },
      { event: "rotation", stage: "waiting", waitsFor: 1 },
    ];
    deepEqual(await after(events, "rotation"), [
      "rotation_stage{stage=waiting} 1",
      "rotation_waits_for 1",
    ]);
  });
});
