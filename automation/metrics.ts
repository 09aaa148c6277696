import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import manifest from "../package.json" with { type: "json" };
import {
  commands,
  leftovers,
  reasons,
  results,
  states,
  type SourceSeen,
  type State,
  type WatchEvent,
} from "@linkerd-multicluster/engine/watch";

const prefix = "linkerd_multicluster_";

/** Seconds, from a look at two clusters to a first run that installs charts. */
const buckets = {
  look: [0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  run: [1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800],
  convergence: [1, 2.5, 5, 8, 10, 15, 30, 60, 120, 300, 600, 1800],
};

export interface MetricsSettings {
  /** Milliseconds. */
  readonly resync: number;
  /** Seconds since 1970. */
  readonly now?: () => number;
}

/**
 * What a watch tells, as Prometheus metrics. Labels have the values that a config names (clusters and
 * links) and those of fixed lists, never names of Services; fixed ones are there from the start.
 */
export class WatchMetrics {
  readonly #registry = new Registry();
  readonly #now: () => number;
  /** Seconds since 1970; 0: nothing is pending. */
  #pendingSince = 0;
  readonly #clusters = new Map<string, readonly string[]>();

  readonly #runs = this.#counter("runs_total", "Runs of Pulumi, by result.", ["command", "result"]);
  readonly #runSeconds = this.#histogram(
    "run_duration_seconds",
    "Duration of runs of Pulumi.",
    buckets.run,
    ["command"],
  );
  readonly #changes = this.#counter("run_changes_total", "Resources that pulumi up has changed.");
  readonly #lookSeconds = this.#histogram(
    "look_duration_seconds",
    "Duration of looks at all clusters.",
    buckets.look,
  );
  readonly #convergence = this.#histogram(
    "convergence_seconds",
    "From the first sign of a change to the end of the run that has done everything.",
    buckets.convergence,
  );
  readonly #triggers = this.#counter("triggers_total", "Signs that a look was needed.", ["reason"]);
  readonly #lastRun = this.#gauge("last_run_timestamp_seconds", "When the last run ended.", [
    "command",
  ]);
  readonly #lastSuccess = this.#gauge(
    "last_success_timestamp_seconds",
    "When everything was last in order, which each resync finds anew; 0: never since the start.",
  );
  readonly #failures = this.#gauge(
    "consecutive_failures",
    "Looks and runs in a row that failed or found the stack locked.",
  );
  readonly #state = this.#gauge("state", "1 for the state that the stack is in.", ["state"]);
  readonly #changePending = this.#gauge(
    "change_pending_timestamp_seconds",
    "First sign of what has not been dealt with; 0: there is none.",
  );
  readonly #connected = this.#gauge("watch_connected", "Whether this kind is being watched.", [
    "cluster",
    "kind",
  ]);
  readonly #losses = this.#counter("watch_losses_total", "How often a watch was lost.", [
    "cluster",
    "kind",
  ]);
  readonly #reachable = this.#gauge(
    "cluster_reachable",
    "Whether the last look could read the cluster.",
    ["cluster"],
  );
  readonly #mirrors = this.#gauge(
    "mirrors",
    "Mirrors of a link, or of the target federated, by the last look; not_mirrored: exported Services without one.",
    ["source", "target", "state"],
  );
  readonly #refusals = this.#gauge("refusals", "What guards refused at the last look.", ["source"]);
  readonly #cleared = this.#counter(
    "leftovers_cleared_total",
    "Locks and processes of earlier runs that were cleared.",
    ["what"],
  );
  readonly #expiry = this.#gauge(
    "certificate_expiry_timestamp_seconds",
    "When trust anchors and issuers of this stack expire.",
    ["certificate"],
  );

  constructor({ resync, now = () => Date.now() / 1000 }: MetricsSettings) {
    this.#now = now;
    const { version } = manifest;
    this.#gauge("build_info", "1, with the version.", ["version"]).set({ version }, 1);
    this.#gauge("resync_interval_seconds", "The option --resync.").set(resync / 1000);
    for (const command of commands) {
      for (const result of results) this.#runs.inc({ command, result }, 0);
      this.#runSeconds.zero({ command });
      this.#lastRun.set({ command }, 0);
    }
    for (const reason of reasons) this.#triggers.inc({ reason }, 0);
    for (const what of leftovers) this.#cleared.inc({ what }, 0);
    this.#setState("starting");
    collectDefaultMetrics({ register: this.#registry });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** In Prometheus' text format. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  observe(event: WatchEvent): void {
    switch (event.event) {
      case "clusterAdded":
        this.#clusters.set(event.cluster, event.kinds);
        for (const kind of event.kinds) {
          this.#connected.set({ cluster: event.cluster, kind }, 0);
          this.#losses.inc({ cluster: event.cluster, kind }, 0);
        }
        return;
      case "clusterRemoved":
        for (const kind of this.#clusters.get(event.cluster) ?? [])
          for (const metric of [this.#connected, this.#losses])
            metric.remove({ cluster: event.cluster, kind });
        this.#reachable.remove({ cluster: event.cluster });
        this.#clusters.delete(event.cluster);
        return;
      case "watching":
        this.#connected.set({ cluster: event.cluster, kind: event.kind }, 1);
        return;
      case "watchLost":
        this.#connected.set({ cluster: event.cluster, kind: event.kind }, 0);
        this.#losses.inc({ cluster: event.cluster, kind: event.kind });
        return;
      case "triggered":
        this.#triggers.inc({ reason: event.reason });
        this.#setPending(true);
        return;
      case "looked":
        this.#lookSeconds.observe(event.milliseconds / 1000);
        this.#seen(event.sources);
        return;
      case "runBegan":
      case "muted":
        return;
      case "runEnded":
        this.#runs.inc({ command: event.command, result: event.result });
        this.#runSeconds.observe({ command: event.command }, event.milliseconds / 1000);
        this.#lastRun.set({ command: event.command }, this.#now());
        if (event.command === "up") this.#changes.inc(event.changes);
        return;
      case "converged":
        this.#convergence.observe(event.milliseconds / 1000);
        return;
      case "state":
        this.#setState(event.state);
        return;
      case "cleared":
        this.#cleared.inc({ what: event.what });
        return;
      case "expiries":
        this.#expiry.reset();
        for (const [certificate, date] of Object.entries(event.certificates))
          this.#expiry.set({ certificate }, Date.parse(date) / 1000);
    }
  }

  #setPending(isPending: boolean): void {
    this.#pendingSince = isPending ? this.#pendingSince || this.#now() : 0;
    this.#changePending.set(this.#pendingSince);
  }

  #setState(now: State): void {
    this.#setPending(now === "settled" ? false : this.#pendingSince > 0 || now !== "starting");
    for (const state of states) this.#state.set({ state }, state === now ? 1 : 0);
    if (now === "settled") this.#lastSuccess.set(this.#now());
    if (now === "settled" || now === "refused") this.#failures.set(0);
    if (now === "failing" || now === "locked") this.#failures.inc();
  }

  /** What is no longer there is no longer told. */
  #seen(sources: readonly SourceSeen[]): void {
    for (const metric of [this.#mirrors, this.#refusals, this.#reachable]) metric.reset();
    for (const cluster of this.#clusters.keys()) this.#reachable.set({ cluster }, 1);
    for (const { source, parts, refusals, away } of sources) {
      this.#refusals.set({ source }, refusals.length);
      for (const cluster of Object.keys(away)) this.#reachable.set({ cluster }, 0);
      for (const [target, { mirrors, notMirrored }] of Object.entries(parts)) {
        this.#mirrors.set({ source, target, state: "mirrored" }, mirrors);
        this.#mirrors.set({ source, target, state: "not_mirrored" }, notMirrored);
      }
    }
  }

  #counter<T extends string>(name: string, help: string, labelNames: T[] = []): Counter<T> {
    return new Counter({ name: prefix + name, help, labelNames, registers: [this.#registry] });
  }

  #gauge<T extends string>(name: string, help: string, labelNames: T[] = []): Gauge<T> {
    return new Gauge({ name: prefix + name, help, labelNames, registers: [this.#registry] });
  }

  #histogram<T extends string>(
    name: string,
    help: string,
    buckets: number[],
    labelNames: T[] = [],
  ) {
    const registers = [this.#registry];
    return new Histogram({ name: prefix + name, help, labelNames, buckets, registers });
  }
}
