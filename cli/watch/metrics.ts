import { programVersion } from "@linkerd-multicluster/engine/kubernetes";
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { commands, type Observer, results, states, triggerReasons } from "./events.ts";

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
  const settings = (name: string, help: string, ...labelNames: string[]) => {
    return { name: `linkerd_multicluster_${name}`, help, labelNames, registers: [registry] };
  };
  const counter = (...of: Parameters<typeof settings>) => new Counter(settings(...of));
  const gauge = (...of: Parameters<typeof settings>) => new Gauge(settings(...of));
  const histogram = (buckets: number[], ...of: Parameters<typeof settings>) =>
    new Histogram({ ...settings(...of), buckets });

  const runs = counter("runs_total", "Runs of Pulumi, by result.", "command", "result");
  const changes = counter("run_changes_total", "Resources that pulumi up has changed.");
  const triggers = counter("triggers_total", "Signs that a dry run was needed.", "reason");
  const losses = counter("watch_losses_total", "How often a watch was lost.", "cluster", "kind");
  const cleared = counter("locks_cleared_total", "Locks of killed runs that were cleared.");
  const state = gauge("state", "1 for the state that the stack is in.", "state");
  const lastRun = gauge("last_run_timestamp_seconds", "When the last run ended.", "command");
  const lastSuccess = gauge("last_success_timestamp_seconds", "When everything was last in order.");
  const failures = gauge("consecutive_failures", "Runs in a row without success.");
  const pending = gauge("change_pending_timestamp_seconds", "First sign of what is left to do.");
  const connected = gauge("watch_connected", "Whether a kind is watched.", "cluster", "kind");
  const reachable = gauge("cluster_reachable", "Whether the last dry run read it.", "cluster");
  const refusals = gauge("refusals", "What guards refused at the last dry run.", "source");
  const mirrors = gauge("mirrors", "Mirrors, and exports without.", "source", "target", "state");
  const alive = gauge("gateway_alive", "Whether it answers its probe.", "source", "target");
  const probe = gauge("gateway_probe_seconds", "Until it answered.", "source", "target");
  const expiry = gauge("certificate_expiry_timestamp_seconds", "When it expires.", "certificate");
  // The buckets reach, in seconds, from a preview of two clusters to a first run that installs charts.
  const runBuckets = [1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800];
  const runSeconds = histogram(runBuckets, "run_duration_seconds", "Runs of Pulumi.", "command");
  const dryRunBuckets = [0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
  const dryRunSeconds = histogram(dryRunBuckets, "dry_run_duration_seconds", "Dry runs.");
  const convergenceBuckets = [1, 2.5, 5, 8, 10, 15, 30, 60, 120, 300, 600, 1800];
  const convergenceHelp = "From the first change until everything is done.";
  const convergence = histogram(convergenceBuckets, "convergence_seconds", convergenceHelp);

  gauge("build_info", "1, with the version.", "version").set({ version }, 1);
  gauge("resync_interval_seconds", "The option --resync.").set(resync / 1000);
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
      case "runBegan":
      case "runSilent":
    }
  };
  const contentType: string = registry.contentType;
  return { observe, contentType, text: () => registry.metrics() };
}

const version = programVersion.split("/")[1] ?? "";
