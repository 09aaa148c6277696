/** The watched kinds of objects, as the API calls them. */
export const watchedKinds = ["services", "endpoints", "namespaces", "links"] as const;
export type WatchedKind = (typeof watchedKinds)[number];

/**
 * The reasons for a dry run: a change in a cluster, a watch that has just opened and does not know what changed
 * before, or a gateway's hostname that resolves to other addresses.
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
  /** The number of resources that `up` changed, or that a preview would change. */
  readonly changes: number;
  /** Why the run did not succeed. */
  readonly why?: string;
}

export interface GatewayAnswer {
  readonly alive: boolean;
  readonly milliseconds: number;
}

/** The result of a dry run for one source. */
export interface SourceStatus {
  readonly source: string;
  readonly status: "inSync" | "changed" | "refused";
  /** Why a guard refuses the changes. */
  readonly refusals: readonly string[];
  /** Numbers of mirrors after the run and of exported Services without one, by target or `federated`. */
  readonly parts: Readonly<
    Record<string, { readonly mirrors: number; readonly notMirrored: number }>
  >;
  /** The answers to probes of gateways, by target, for links with `gatewayProbe`. */
  readonly gateways?: Readonly<Record<string, GatewayAnswer>>;
  /** Reasons why clusters couldn't be read, by cluster. */
  readonly unreachable: Readonly<Record<string, string>>;
}

/** The events of a watch. Durations are in milliseconds. */
export type WatchEvent = Readonly<
  /** The kinds that are watched from now on, by cluster. */
  | { event: "clusters"; kinds: Readonly<Record<string, readonly WatchedKind[]>> }
  | { event: "watching"; cluster: string; kind: WatchedKind }
  | { event: "watchLost"; cluster: string; kind: WatchedKind; why: string; retryIn: number }
  /** `about` is an object such as `services shop/web`, or the hostname. */
  | { event: "triggered"; reason: (typeof triggerReasons)[number]; cluster: string; about: string }
  | { event: "dryRun"; milliseconds: number; sources: readonly SourceStatus[] }
  | { event: "runBegan"; command: RunCommand }
  | ({ event: "runEnded"; command: RunCommand; milliseconds: number } & RunEnd)
  /** `retryIn` is when the watch tries again at the latest, even if no cluster changes. */
  | { event: "state"; state: State; why: readonly string[]; retryIn?: number }
  /** The lock of a run that an earlier watch started was cleared. */
  | { event: "lockCleared"; lock: string }
  /** The expiry of each certificate in the state, in ISO 8601, by a name such as `the issuer of cluster west`. */
  | { event: "expiries"; certificates: Readonly<Record<string, string>> }
>;

/** Receives each event as it happens. It must neither throw nor take long. */
export type Observer = (event: WatchEvent) => void;
