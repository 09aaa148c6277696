/**
 * The meaning of each metric, in Markdown, followed by its labels. Prometheus gets the same words as help, and
 * `npm run docs` writes them into docs/reference/metrics.md.
 */
export const metrics = {
  build_info: ["1", "version"],
  resync_interval_seconds: ["the option `--resync`"],
  state: [
    "1 for one of `starting`, `settled`, `running`, `refused`, `contested`, `failing`, `locked`; else 0",
    "state",
  ],
  runs_total: [
    "`preview` and `up`: `succeeded`, `failed`, `locked`, `cancelled`",
    "command",
    "result",
  ],
  run_duration_seconds: ["how long runs took: a histogram", "command"],
  run_changes_total: ["resources that `up` has changed"],
  last_run_timestamp_seconds: ["when the last run ended; 0: none has", "command"],
  last_success_timestamp_seconds: ["when everything was last in order; 0: not since the start"],
  consecutive_failures: ["attempts in a row that failed or found the stack locked"],
  dry_run_duration_seconds: ["how long dry runs took: a histogram"],
  triggers_total: [
    "what caused dry runs: `event`, `listed` (a watch has begun), `hostname`, `config`",
    "reason",
  ],
  change_pending_timestamp_seconds: ["since when a change is pending; 0: none is"],
  convergence_seconds: [
    "how long it took from a change until a run had done everything: a histogram",
  ],
  watch_connected: [
    "1 while `services`, `endpoints`, `namespaces` or `links` are watched",
    "cluster",
    "kind",
  ],
  watch_losses_total: ["how often a watch was lost", "cluster", "kind"],
  cluster_reachable: ["whether the last dry run could read it", "cluster"],
  mirrors: [
    "`mirrored` and `not_mirrored`, of a link, or of the target `federated` or `HTTPRoutes`",
    "source",
    "target",
    "state",
  ],
  gateway_alive: [
    "whether the gateway answered its probe in the last dry run, with `gatewayProbe` or `prober`",
    "source",
    "target",
  ],
  gateway_probe_seconds: [
    "how long a gateway that is alive took to answer, as `linkerd multicluster gateways` shows it",
    "source",
    "target",
  ],
  refusals: ["changes that guards refused in the last dry run", "source"],
  locks_cleared_total: ["locks of killed runs that the watch cleared"],
  rotation_stage: [
    "1 for the step of a rotation that the last run took, `bundle`, `reissue`, `drop` or `waiting`, or for `settled`",
    "stage",
  ],
  rotation_waits_for: ["workloads and pods that `trust.restart` leaves to others to restart"],
  certificate_expiry_timestamp_seconds: [
    "trust anchors and issuers, of a stack that manages them",
    "certificate",
  ],
} as const satisfies Readonly<Record<string, readonly [what: string, ...labels: string[]]>>;
