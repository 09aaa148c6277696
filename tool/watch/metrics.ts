import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { programVersion } from "@linkerd-multicluster/engine/kubernetes";
import {
  type ByEvent,
  commands,
  type Observer,
  results,
  states,
  triggerReasons,
  type WatchEvent,
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
  const alive = gauge("gateway_alive", "Whether it answers its probe.", "source", "target");
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

  gauge("build_info", "1, with the version.", "version").set({ version }, 1);
  gauge("resync_interval_seconds", "The option --resync.").set(resync / 1000);
  for (const command of commands) {
    for (const result of results) runs.inc({ command, result }, 0);
    runSeconds.zero({ command });
    lastRun.set({ command }, 0);
  }
  for (const reason of triggerReasons) triggers.inc({ reason }, 0);
  cleared.inc({ what: "lock" }, 0);
  for (const each of states) state.set({ state: each }, each === "starting" ? 1 : 0);
  collectDefaultMetrics({ register: registry });

  const told: Partial<ByEvent<void>> = {
    clusterAdded({ cluster, kinds }) {
      clusters.set(cluster, kinds);
      for (const kind of kinds) {
        connected.set({ cluster, kind }, 0);
        losses.inc({ cluster, kind }, 0);
      }
    },
    clusterRemoved({ cluster }) {
      for (const kind of clusters.get(cluster) ?? [])
        for (const each of [connected, losses]) each.remove({ cluster, kind });
      reachable.remove({ cluster });
      clusters.delete(cluster);
    },
    watching({ cluster, kind }) {
      connected.set({ cluster, kind }, 1);
    },
    watchLost({ cluster, kind }) {
      connected.set({ cluster, kind }, 0);
      losses.inc({ cluster, kind });
    },
    triggered({ reason }) {
      triggers.inc({ reason });
      setPending(true);
    },
    dryRun({ milliseconds, sources }) {
      dryRunSeconds.observe(milliseconds / 1000);
      // Forgets what is no longer there.
      for (const each of [mirrors, refusals, reachable, alive]) each.reset();
      for (const cluster of clusters.keys()) reachable.set({ cluster }, 1);
      for (const { source, parts, refusals: refused, gateways = {}, unreachable } of sources) {
        refusals.set({ source }, refused.length);
        for (const cluster of Object.keys(unreachable)) reachable.set({ cluster }, 0);
        for (const [target, isAlive] of Object.entries(gateways))
          alive.set({ source, target }, Number(isAlive));
        for (const [target, part] of Object.entries(parts)) {
          mirrors.set({ source, target, state: "mirrored" }, part.mirrors);
          mirrors.set({ source, target, state: "not_mirrored" }, part.notMirrored);
        }
      }
    },
    runEnded({ command, result, milliseconds, changes: changed }) {
      runs.inc({ command, result });
      runSeconds.observe({ command }, milliseconds / 1000);
      lastRun.set({ command }, now());
      if (command === "up") changes.inc(changed);
    },
    converged({ milliseconds }) {
      convergence.observe(milliseconds / 1000);
    },
    state({ state: current }) {
      // Something is left to do in every other state.
      setPending(current !== "settled" && (pendingSince > 0 || current !== "starting"));
      for (const each of states) state.set({ state: each }, each === current ? 1 : 0);
      if (current === "settled") lastSuccess.set(now());
      if (current === "settled" || current === "refused") failures.set(0);
      if (current === "failing" || current === "locked") failures.inc();
    },
    lockCleared() {
      cleared.inc({ what: "lock" });
    },
    expiries({ certificates }) {
      expiry.reset();
      for (const [certificate, date] of Object.entries(certificates))
        expiry.set({ certificate }, Date.parse(date) / 1000);
    },
  };
  return {
    observe(event) {
      (told[event.event] as ((event: WatchEvent) => void) | undefined)?.(event);
    },
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}

const mirrorLabels = ["source", "target", "state"];
const version = programVersion.split("/")[1] ?? "";
