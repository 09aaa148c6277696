/** Kubernetes' API has these names for the watched kinds. */
export const watchedKinds = ["services", "endpoints", "namespaces", "links"] as const;
export type WatchedKind = (typeof watchedKinds)[number];

/** With `listed`, a watch has just opened and does not know what changed before. */
export const triggerReasons = ["event", "listed", "hostname", "config"] as const;
export type TriggerReason = (typeof triggerReasons)[number];

export const states = [
  "starting",
  "settled",
  "running",
  "refused",
  "contested",
  "failing",
  "locked",
] as const;
export type State = (typeof states)[number];

export const commands = ["preview", "up"] as const;
export type RunCommand = (typeof commands)[number];

export const results = ["succeeded", "failed", "locked", "cancelled"] as const;

export interface RunEnd {
  readonly result: (typeof results)[number];
  /** Counts the resources that `up` changed, or that a preview would change. */
  readonly changes: number;
  /** Says why the run did not succeed. */
  readonly why?: string;
}

export interface SourceStatus {
  readonly source: string;
  readonly status: "inSync" | "changed" | "refused";
  /** Names what others have set, if a run would only restore it. */
  readonly contested?: readonly string[];
  /** Sentences say why a guard refuses the changes. */
  readonly refusals: readonly string[];
  /** Counts mirrors after the run and exported Services without one, by target or `federated`. */
  readonly parts: Readonly<
    Record<string, { readonly mirrors: number; readonly notMirrored: number }>
  >;
  /** Says by target how the gateways of links with `gatewayProbe` answer. */
  readonly gateways?: Readonly<
    Record<string, { readonly alive: boolean; readonly milliseconds: number }>
  >;
  /** Says of each cluster that couldn't be read why. */
  readonly unreachable: Readonly<Record<string, string>>;
}

/** The events of a watch. Durations are in milliseconds. */
export type WatchEvent = Readonly<
  /** These kinds are watched from now on, by cluster. */
  | { event: "clusters"; kinds: Readonly<Record<string, readonly WatchedKind[]>> }
  | { event: "watching"; cluster: string; kind: WatchedKind }
  | { event: "watchLost"; cluster: string; kind: WatchedKind; why: string; retryIn: number }
  /**
   * `about` is an object such as `services shop/web`, or the hostname. `gone` says that it was deleted, or is exported no
   * longer, perhaps only until somebody creates it again.
   */
  | { event: "triggered"; reason: TriggerReason; cluster: string; about: string; gone?: true }
  /** In the log, `unchanged` counts the sources that haven't changed since they were last logged, and `sources` leaves them out. */
  | {
      event: "dryRun";
      milliseconds: number;
      sources: readonly SourceStatus[];
      unchanged?: number;
    }
  | { event: "runBegan"; command: RunCommand }
  /** A run printed nothing for so long and was interrupted. The watch waits for its end. */
  | { event: "runSilent"; command: RunCommand; milliseconds: number }
  | ({ event: "runEnded"; command: RunCommand; milliseconds: number } & RunEnd)
  /** `retryIn` is when the watch tries again at the latest, even if no cluster changes. */
  | { event: "state"; state: State; why: readonly string[]; retryIn?: number }
  /** The lock of a run that an earlier watch started was cleared. */
  | { event: "lockCleared"; lock: string }
  /** Certificates in the state have names such as `the issuer of cluster west`, and expire at a time in ISO 8601. */
  | { event: "expiries"; certificates: Readonly<Record<string, string>> }
  /** The last run took this step of a rotation, and `waitsFor` counts what others have to restart. */
  | { event: "rotation"; stage: string; waitsFor: number }
>;

/** Receives each event as it happens. It must neither throw nor take long. */
export type Observer = (event: WatchEvent) => void;
