import { programVersion } from "@linkerd-multicluster/engine/base";
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { commands, type Observer, results, states, triggerReasons } from "./events.ts";
import { metrics } from "./metric-table.ts";

export type WatchMetrics = ReturnType<typeof watchMetrics>;

/**
 * Counts the events of a watch as Prometheus metrics. Labels have the names of clusters and links in the config, and values
 * of fixed lists, which exist from the start. They never have names of Services.
 *
 * @param resync milliseconds
 * @param now seconds since 1970
 */
export function watchMetrics(resync: number, now = () => Date.now() / 1000) {
  const registry = new Registry();
  const settings = (name: keyof typeof metrics) => {
    const [what, ...labelNames] = metrics[name];
    const help = what.replaceAll("`", "");
    return { name: `linkerd_multicluster_${name}`, help, labelNames, registers: [registry] };
  };
  const counter = (name: keyof typeof metrics) => new Counter(settings(name));
  const gauge = (name: keyof typeof metrics) => new Gauge(settings(name));
  const histogram = (name: keyof typeof metrics, buckets: number[]) =>
    new Histogram({ ...settings(name), buckets });

  const runs = counter("runs_total");
  const changes = counter("run_changes_total");
  const triggers = counter("triggers_total");
  const losses = counter("watch_losses_total");
  const cleared = counter("locks_cleared_total");
  const state = gauge("state");
  const lastRun = gauge("last_run_timestamp_seconds");
  const lastSuccess = gauge("last_success_timestamp_seconds");
  const failures = gauge("consecutive_failures");
  const pending = gauge("change_pending_timestamp_seconds");
  const connected = gauge("watch_connected");
  const reachable = gauge("cluster_reachable");
  const refusals = gauge("refusals");
  const mirrors = gauge("mirrors");
  const alive = gauge("gateway_alive");
  const probe = gauge("gateway_probe_seconds");
  const rotationStage = gauge("rotation_stage");
  const rotationWaitsFor = gauge("rotation_waits_for");
  const expiry = gauge("certificate_expiry_timestamp_seconds");
  // The buckets reach, in seconds, from a preview of two clusters to a first run that installs charts.
  const runSeconds = histogram(
    "run_duration_seconds",
    [1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800],
  );
  const dryRunSeconds = histogram("dry_run_duration_seconds", [0.25, 0.5, 1, 2.5, 5, 10, 30, 60]);
  const convergence = histogram(
    "convergence_seconds",
    [1, 2.5, 5, 8, 10, 15, 30, 60, 120, 300, 600, 1800],
  );

  gauge("build_info").set({ version }, 1);
  gauge("resync_interval_seconds").set(resync / 1000);
  for (const command of commands) {
    for (const result of results) runs.inc({ command, result }, 0);
    runSeconds.zero({ command });
    lastRun.set({ command }, 0);
  }
  for (const reason of triggerReasons) triggers.inc({ reason }, 0);
  for (const each of states) state.set({ state: each }, Number(each === "starting"));
  collectDefaultMetrics({ register: registry });

  let clusters: readonly string[] = [];
  const lost = new Set<string>();
  /** The time is in seconds since 1970, or 0 if nothing is pending. */
  let pendingSince = 0;
  let hasRun = false;
  const setPending = (isPending: boolean) => {
    pendingSince = isPending ? pendingSince || now() : 0;
    pending.set(pendingSince);
  };

  const observe: Observer = (event) => {
    switch (event.event) {
      case "clusters":
        clusters = Object.keys(event.kinds);
        lost.clear();
        for (const each of [connected, losses, reachable]) each.reset();
        for (const [cluster, kinds] of Object.entries(event.kinds))
          for (const kind of kinds) {
            connected.set({ cluster, kind }, 0);
            losses.inc({ cluster, kind }, 0);
          }
        break;
      case "watching":
        connected.set({ cluster: event.cluster, kind: event.kind }, 1);
        lost.delete(`${event.cluster}/${event.kind}`);
        break;
      case "watchLost": {
        const { cluster, kind } = event;
        connected.set({ cluster, kind }, 0);
        // A watch that fails again, for another reason, is still lost.
        if (!lost.has(`${cluster}/${kind}`)) losses.inc({ cluster, kind });
        lost.add(`${cluster}/${kind}`);
        break;
      }
      case "triggered":
        triggers.inc({ reason: event.reason });
        setPending(true);
        break;
      case "dryRun":
        dryRunSeconds.observe(event.milliseconds / 1000);
        // Links and clusters that are no longer in the stack must not keep their last value.
        for (const each of [mirrors, refusals, reachable, alive, probe]) each.reset();
        for (const cluster of clusters) reachable.set({ cluster }, 1);
        for (const { source, parts, gateways = {}, unreachable, ...more } of event.sources) {
          refusals.set({ source }, more.refusals.length);
          for (const cluster of Object.keys(unreachable)) reachable.set({ cluster }, 0);
          for (const [target, answer] of Object.entries(gateways)) {
            alive.set({ source, target }, Number(answer.alive));
            if (answer.alive) probe.set({ source, target }, answer.milliseconds / 1000);
          }
          for (const [target, part] of Object.entries(parts)) {
            mirrors.set({ source, target, state: "mirrored" }, part.mirrors);
            mirrors.set({ source, target, state: "not_mirrored" }, part.notMirrored);
          }
        }
        break;
      case "runEnded": {
        const { command, result } = event;
        runs.inc({ command, result });
        runSeconds.observe({ command }, event.milliseconds / 1000);
        lastRun.set({ command }, now());
        if (command === "up") changes.inc(event.changes);
        hasRun ||= command === "up" && result === "succeeded";
        break;
      }
      case "state": {
        const current = event.state;
        for (const each of states) state.set({ state: each }, Number(each === current));
        if (current === "settled") {
          lastSuccess.set(now());
          if (hasRun && pendingSince > 0) convergence.observe(now() - pendingSince);
          hasRun = false;
        }
        // In every other state something is left to do.
        setPending(current !== "settled" && (pendingSince > 0 || current !== "starting"));
        if (current === "settled" || current === "refused") failures.set(0);
        if (current === "failing" || current === "locked") failures.inc();
        break;
      }
      case "lockCleared":
        cleared.inc();
        break;
      case "expiries":
        expiry.reset();
        for (const [certificate, date] of Object.entries(event.certificates))
          expiry.set({ certificate }, Date.parse(date) / 1000);
        break;
      case "rotation":
        rotationStage.reset();
        rotationStage.set({ stage: event.stage }, 1);
        rotationWaitsFor.set(event.waitsFor);
        break;
      case "runBegan":
      case "runSilent":
    }
  };
  const contentType: string = registry.contentType;
  return { observe, contentType, text: () => registry.metrics() };
}

const version = programVersion.split("/")[1] ?? "";
