import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { programVersion } from "../version.ts";
import {
  commands,
  type Observer,
  triggerReasons,
  results,
  type SourceStatus,
  type State,
  states,
} from "./events.ts";

export interface WatchMetrics {
  readonly observe: Observer;
  readonly contentType: string;
  /** The metrics in Prometheus' text format. */
  readonly text: () => Promise<string>;
}

/**
 * The events of a watch as Prometheus metrics. Labels have the values that a config names (clusters and
 * links) and those of fixed lists, never names of Services; fixed ones are there from the start.
 *
 * @param resync milliseconds
 * @param now seconds since 1970
 */
export function watchMetrics(resync: number, now = () => Date.now() / 1000): WatchMetrics {
  const registry = new Registry();
  const settings = (name: string, help: string, labelNames: string[]) => {
    return { name: `linkerd_multicluster_${name}`, help, labelNames, registers: [registry] };
  };
  const counter = (name: string, help: string, ...labels: string[]) =>
    new Counter(settings(name, help, labels));
  const gauge = (name: string, help: string, ...labels: string[]) =>
    new Gauge(settings(name, help, labels));
  const histogram = (name: string, help: string, buckets: number[], ...labels: string[]) =>
    new Histogram({ ...settings(name, help, labels), buckets });

  const runs = counter("runs_total", "Runs of Pulumi, by result.", "command", "result");
  const changes = counter("run_changes_total", "Resources that pulumi up has changed.");
  const triggers = counter("triggers_total", "Signs that a dry run was needed.", "reason");
  const losses = counter("watch_losses_total", "How often a watch was lost.", "cluster", "kind");
  const cleared = counter("leftovers_cleared_total", "Locks of earlier runs, cleared.", "what");
  const state = gauge("state", "1 for the state that the stack is in.", "state");
  const lastRun = gauge("last_run_timestamp_seconds", "When the last run ended.", "command");
  const lastSuccess = gauge("last_success_timestamp_seconds", "When everything was last in order.");
  const failures = gauge("consecutive_failures", "Dry runs and runs in a row without success.");
  const pending = gauge("change_pending_timestamp_seconds", "First sign of what is left to do.");
  const connected = gauge("watch_connected", "Whether a kind is watched.", "cluster", "kind");
  const reachable = gauge("cluster_reachable", "Whether the last dry run read it.", "cluster");
  const refusals = gauge("refusals", "What guards refused at the last dry run.", "source");
  const mirrors = gauge("mirrors", "Mirrors, and exported Services without.", ...mirrorLabels);
  const expiry = gauge("certificate_expiry_timestamp_seconds", "When it expires.", "certificate");
  // Seconds, from a dry run of two clusters to a first run that installs charts.
  const runBuckets = [1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800];
  const runSeconds = histogram("run_duration_seconds", "Runs of Pulumi.", runBuckets, "command");
  const dryRunBuckets = [0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
  const dryRunSeconds = histogram("look_duration_seconds", "Dry runs.", dryRunBuckets);
  const convergenceBuckets = [1, 2.5, 5, 8, 10, 15, 30, 60, 120, 300, 600, 1800];
  const convergence = histogram(
    "convergence_seconds",
    "From the first change until everything is done.",
    convergenceBuckets,
  );

  const clusters = new Map<string, readonly string[]>();
  /** Seconds since 1970; 0: nothing is pending. */
  let pendingSince = 0;
  const setPending = (isPending: boolean) => {
    pendingSince = isPending ? pendingSince || now() : 0;
    pending.set(pendingSince);
  };
  const setState = (current: State) => {
    setPending(current === "settled" ? false : pendingSince > 0 || current !== "starting");
    for (const each of states) state.set({ state: each }, each === current ? 1 : 0);
    if (current === "settled") lastSuccess.set(now());
    if (current === "settled" || current === "refused") failures.set(0);
    if (current === "failing" || current === "locked") failures.inc();
  };
  /** Forgets what is no longer there. */
  const setSources = (sources: readonly SourceStatus[]) => {
    for (const each of [mirrors, refusals, reachable]) each.reset();
    for (const cluster of clusters.keys()) reachable.set({ cluster }, 1);
    for (const { source, parts, refusals: refused, unreachable } of sources) {
      refusals.set({ source }, refused.length);
      for (const cluster of Object.keys(unreachable)) reachable.set({ cluster }, 0);
      for (const [target, part] of Object.entries(parts)) {
        mirrors.set({ source, target, state: "mirrored" }, part.mirrors);
        mirrors.set({ source, target, state: "not_mirrored" }, part.notMirrored);
      }
    }
  };

  gauge("build_info", "1, with the version.", "version").set({ version }, 1);
  gauge("resync_interval_seconds", "The option --resync.").set(resync / 1000);
  for (const command of commands) {
    for (const result of results) runs.inc({ command, result }, 0);
    runSeconds.zero({ command });
    lastRun.set({ command }, 0);
  }
  for (const reason of triggerReasons) triggers.inc({ reason }, 0);
  cleared.inc({ what: "lock" }, 0);
  setState("starting");
  collectDefaultMetrics({ register: registry });

  const observe: Observer = (event) => {
    switch (event.event) {
      case "clusterAdded":
        clusters.set(event.cluster, event.kinds);
        for (const kind of event.kinds) {
          connected.set({ cluster: event.cluster, kind }, 0);
          losses.inc({ cluster: event.cluster, kind }, 0);
        }
        return;
      case "clusterRemoved":
        for (const kind of clusters.get(event.cluster) ?? [])
          for (const each of [connected, losses]) each.remove({ cluster: event.cluster, kind });
        reachable.remove({ cluster: event.cluster });
        clusters.delete(event.cluster);
        return;
      case "watching":
        connected.set({ cluster: event.cluster, kind: event.kind }, 1);
        return;
      case "watchLost":
        connected.set({ cluster: event.cluster, kind: event.kind }, 0);
        losses.inc({ cluster: event.cluster, kind: event.kind });
        return;
      case "triggered":
        triggers.inc({ reason: event.reason });
        setPending(true);
        return;
      case "dryRun":
        dryRunSeconds.observe(event.milliseconds / 1000);
        setSources(event.sources);
        return;
      case "runBegan":
      case "muted":
        return;
      case "runEnded":
        runs.inc({ command: event.command, result: event.result });
        runSeconds.observe({ command: event.command }, event.milliseconds / 1000);
        lastRun.set({ command: event.command }, now());
        if (event.command === "up") changes.inc(event.changes);
        return;
      case "converged":
        convergence.observe(event.milliseconds / 1000);
        return;
      case "state":
        setState(event.state);
        return;
      case "lockCleared":
        cleared.inc({ what: "lock" });
        return;
      case "expiries":
        expiry.reset();
        for (const [certificate, date] of Object.entries(event.certificates))
          expiry.set({ certificate }, Date.parse(date) / 1000);
    }
  };
  return { observe, contentType: registry.contentType, text: () => registry.metrics() };
}

const mirrorLabels = ["source", "target", "state"];
const version = programVersion.split("/")[1] ?? "";
