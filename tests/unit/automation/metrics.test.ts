import { deepEqual, equal, ok } from "node:assert/strict";

import { WatchMetrics } from "../../../automation/metrics.ts";
import type { SourceSeen, WatchEvent } from "../../../engine/watch/events.ts";
import { samplesIn } from "./exposition.ts";

const kinds = ["services", "links"] as const;
const east: SourceSeen = {
  source: "east",
  verdict: "inOrder",
  refusals: [],
  parts: { west: { mirrors: 12, notMirrored: 1 } },
  away: {},
};

describe("metrics of the watch", () => {
  let metrics: WatchMetrics;
  let now: number;

  beforeEach(() => {
    now = 1_000;
    metrics = new WatchMetrics({ resync: 600_000, now: () => now });
  });

  const tell = (...events: readonly WatchEvent[]) => {
    for (const event of events) metrics.observe(event);
  };
  /** `runs_total{command=up,result=failed}` and its value, of our own metrics. */
  const own = async () =>
    new Map(
      samplesIn(await metrics.text())
        .filter(({ name }) => name.startsWith("linkerd_multicluster_"))
        .map(({ name, labels, value }) => {
          const pairs = Object.entries(labels).map(([label, text]) => `${label}=${text}`);
          const inner = pairs.length === 0 ? "" : `{${pairs.sort().join(",")}}`;
          return [name.slice("linkerd_multicluster_".length) + inner, value];
        }),
    );

  it("have every value of a fixed label from the start", async () => {
    const samples = await own();
    const named = (start: string) => [...samples.keys()].filter((each) => each.startsWith(start));
    equal(named("runs_total").length, 8);
    equal(named("triggers_total").length, 4);
    equal(named("state{").length, 6);
    equal(named("leftovers_cleared_total").length, 2);
    equal(named("last_run_timestamp_seconds").length, 2);
    equal(samples.get("run_duration_seconds_count{command=up}"), 0);
    equal(samples.get("state{state=starting}"), 1);
    equal(samples.get("resync_interval_seconds"), 600);
    equal(samples.get("last_success_timestamp_seconds"), 0);
  });

  it("count runs, how long they take, and what they change", async () => {
    tell(
      { event: "runEnded", command: "preview", result: "succeeded", changes: 5, milliseconds: 900 },
      { event: "runEnded", command: "up", result: "failed", changes: 2, milliseconds: 4_000 },
    );
    const samples = await own();
    equal(samples.get("runs_total{command=preview,result=succeeded}"), 1);
    equal(samples.get("runs_total{command=up,result=failed}"), 1);
    equal(samples.get("run_duration_seconds_sum{command=up}"), 4);
    equal(samples.get("run_changes_total"), 2, "a preview changes nothing");
    equal(samples.get("last_run_timestamp_seconds{command=up}"), 1_000);
  });

  it("tell the state, the last success and failures in a row", async () => {
    const state = (name: "settled" | "failing" | "locked" | "running" | "refused"): WatchEvent => ({
      ...{ event: "state", state: name, why: [] },
    });
    tell(state("settled"));
    now = 2_000;
    tell(state("failing"), state("running"), state("locked"));
    let samples = await own();
    equal(samples.get("last_success_timestamp_seconds"), 1_000);
    equal(samples.get("consecutive_failures"), 2);
    equal(samples.get("state{state=locked}"), 1);
    equal(samples.get("state{state=running}"), 0);
    tell(state("refused"));
    samples = await own();
    equal(samples.get("consecutive_failures"), 0);
    equal(samples.get("last_success_timestamp_seconds"), 1_000);
  });

  it("tell which watches are connected, and forget a cluster that leaves the stack", async () => {
    tell(
      { event: "clusterAdded", cluster: "east", kinds },
      { event: "clusterAdded", cluster: "west", kinds: ["services"] },
    );
    equal((await own()).get("watch_connected{cluster=east,kind=services}"), 0);
    const lost = { event: "watchLost", why: "refused", retryIn: 500 } as const;
    tell(...kinds.map((kind) => ({ event: "watching", cluster: "east", kind }) as const), {
      ...lost,
      cluster: "east",
      kind: "links",
    });
    let samples = await own();
    equal(samples.get("watch_connected{cluster=east,kind=services}"), 1);
    equal(samples.get("watch_connected{cluster=east,kind=links}"), 0);
    equal(samples.get("watch_losses_total{cluster=east,kind=links}"), 1);
    tell({ event: "looked", milliseconds: 1, sources: [east] });
    tell({ event: "clusterRemoved", cluster: "east" });
    samples = await own();
    const left = (name: string) =>
      [...samples.keys()].filter((each) => each.includes(`cluster=${name}`)).sort();
    deepEqual(left("east"), []);
    equal(left("west").length, 3);
  });

  it("tell mirrors of each link, refusals, and which clusters a look could read", async () => {
    tell(
      { event: "clusterAdded", cluster: "east", kinds },
      { event: "clusterAdded", cluster: "west", kinds },
    );
    const away = { ...east, refusals: ["too many"], away: { west: "does not answer" } };
    tell({ event: "looked", milliseconds: 2_500, sources: [away] });
    let samples = await own();
    equal(samples.get("mirrors{source=east,state=mirrored,target=west}"), 12);
    equal(samples.get("mirrors{source=east,state=not_mirrored,target=west}"), 1);
    equal(samples.get("refusals{source=east}"), 1);
    equal(samples.get("cluster_reachable{cluster=west}"), 0);
    equal(samples.get("cluster_reachable{cluster=east}"), 1);
    equal(samples.get("look_duration_seconds_sum"), 2.5);
    tell({ event: "looked", milliseconds: 1, sources: [{ ...east, parts: {} }] });
    samples = await own();
    equal(samples.get("refusals{source=east}"), 0);
    equal(samples.get("cluster_reachable{cluster=west}"), 1);
    ok(![...samples.keys()].some((each) => each.startsWith("mirrors{")), "the link has gone");
  });

  it("tell since when a change waits, how long it took, and what expires", async () => {
    tell({ event: "triggered", reason: "event", cluster: "west", about: "services shop/web" });
    let samples = await own();
    equal(samples.get("triggers_total{reason=event}"), 1);
    equal(samples.get("change_pending_timestamp_seconds"), 1_000);
    const certificates = { "the issuer of cluster west": "1970-01-01T01:00:00Z" };
    now = 1_006;
    tell(
      { event: "looked", milliseconds: 1_000, sources: [east] },
      { event: "converged", milliseconds: 6_000 },
      { event: "state", state: "settled", why: [] },
      { event: "cleared", what: "lock", about: "x" },
      { event: "expiries", certificates: { "the trust anchor": "1970-01-01T00:00:01Z" } },
      { event: "expiries", certificates },
    );
    samples = await own();
    equal(samples.get("change_pending_timestamp_seconds"), 0);
    equal(samples.get("convergence_seconds_sum"), 6);
    equal(samples.get("leftovers_cleared_total{what=lock}"), 1);
    const expiry = "certificate_expiry_timestamp_seconds";
    deepEqual(
      [...samples].filter(([name]) => name.startsWith(expiry)),
      [[`${expiry}{certificate=the issuer of cluster west}`, 3_600]],
    );
  });
});
