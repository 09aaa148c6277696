/** The kinds of objects that are watched, as the API calls them. */
export const watchedKinds = ["services", "endpoints", "namespaces", "links"] as const;
export type WatchedKind = (typeof watchedKinds)[number];

/**
 * The reasons for a dry run: an event in a cluster, a watch that begins and does not know what came
 * before, or a gateway's hostname that leads elsewhere.
 */
export const triggerReasons = ["event", "listed", "hostname"] as const;

/** The states of a stack. */
export const states = ["starting", "settled", "running", "refused", "failing", "locked"] as const;
export type State = (typeof states)[number];

export const commands = ["preview", "up"] as const;
export type RunCommand = (typeof commands)[number];

export const results = ["succeeded", "failed", "locked", "cancelled"] as const;

/** The end of a run of Pulumi. */
export interface RunEnd {
  readonly result: (typeof results)[number];
  /** Resources that were changed, or in a preview are to be. */
  readonly changes: number;
  /** A sentence, where it has not succeeded. */
  readonly why?: string;
}

/** The result of a dry run for one source. */
export interface SourceStatus {
  readonly source: string;
  readonly status: "inSync" | "changed" | "refused";
  /** Sentences: why nothing may be done. */
  readonly refusals: readonly string[];
  /**
   * By the name of a link's target, or `federated`: mirrors that there are once everything is done, and
   * exported Services without one.
   */
  readonly parts: Readonly<
    Record<string, { readonly mirrors: number; readonly notMirrored: number }>
  >;
  /** By target: whether its gateway answers its probe, where the link asks for that. */
  readonly gateways?: Readonly<Record<string, boolean>>;
  /** Clusters that can't be read, and why. */
  readonly unreachable: Readonly<Record<string, string>>;
}

/** The events of a watch. Durations are in milliseconds. */
export type WatchEvent = Readonly<
  /** A cluster of the stack is to be watched from now on, or is no longer. */
  | { event: "clusterAdded"; cluster: string; kinds: readonly WatchedKind[] }
  | { event: "clusterRemoved"; cluster: string }
  | { event: "watching"; cluster: string; kind: WatchedKind }
  | { event: "watchLost"; cluster: string; kind: WatchedKind; why: string; retryIn: number }
  /** `about`: `services shop/web`, or the hostname. */
  | { event: "triggered"; reason: (typeof triggerReasons)[number]; cluster: string; about: string }
  | { event: "dryRun"; milliseconds: number; sources: readonly SourceStatus[] }
  | { event: "runBegan"; command: RunCommand }
  | ({ event: "runEnded"; command: RunCommand; milliseconds: number } & RunEnd)
  /** Everything is done, this long after the first sign of a change. */
  | { event: "converged"; milliseconds: number }
  /** `why` has sentences; `retryIn` is when it is tried again whatever clusters tell. */
  | { event: "state"; state: State; why: readonly string[]; retryIn?: number }
  /** The lock of an earlier run of a watch was cleared. */
  | { event: "lockCleared"; lock: string }
  /** The expiries of certificates in the state: ISO 8601 by what expires, `the issuer of cluster west`. */
  | { event: "expiries"; certificates: Readonly<Record<string, string>> }
>;

/** What is made of each event. */
export type ByEvent<R> = {
  readonly [Name in WatchEvent["event"]]: (event: Extract<WatchEvent, { event: Name }>) => R;
};

/** Told of each event as it happens: it must neither throw nor take long. */
export type Observer = (event: WatchEvent) => void;
