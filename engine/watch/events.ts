/** What a watch tells of itself: logs and metrics hang on nothing else. */

/** The kinds of objects that are watched, as the API calls them. */
export const watchedKinds = ["services", "endpoints", "namespaces", "links"] as const;
export type WatchedKind = (typeof watchedKinds)[number];

/** Why clusters are looked at. */
export const reasons = [
  /** Something has changed in a cluster. */
  "event",
  /** A watch begins, or begins again: what has changed meanwhile is not known. */
  "listed",
  /** The hostname of a gateway leads elsewhere. */
  "hostname",
  /** A gateway that is probed fails, or answers again. */
  "probe",
] as const;
export type Reason = (typeof reasons)[number];

/** Where the stack is, as far as it is known. */
export const states = ["starting", "settled", "running", "refused", "failing", "locked"] as const;
export type State = (typeof states)[number];

/** What a look has seen of one link, or of the federated Services of a source. */
export interface PartSeen {
  /** That there are once everything has been done. */
  readonly mirrors: number;
  /** Exported Services without a mirror. */
  readonly notMirrored: number;
}

/** What a look has seen of one source. */
export interface SourceSeen {
  readonly source: string;
  readonly verdict: "inOrder" | "work" | "refused";
  /** Sentences: why nothing may be done. */
  readonly refusals: readonly string[];
  /** By the name of a link's target, or `federated`. */
  readonly parts: Readonly<Record<string, PartSeen>>;
  /** Clusters that can't be read, and why. */
  readonly away: Readonly<Record<string, string>>;
}

export const commands = ["preview", "up"] as const;
export type Command = (typeof commands)[number];

export const results = ["succeeded", "failed", "locked", "cancelled"] as const;
export type Result = (typeof results)[number];

/** What an earlier watch may have left behind. */
export const leftovers = ["lock", "processes"] as const;
export type Leftover = (typeof leftovers)[number];

export type WatchEvent =
  /** A cluster of the stack is to be watched from now on, or is no longer. */
  | {
      readonly event: "clusterAdded";
      readonly cluster: string;
      readonly kinds: readonly WatchedKind[];
    }
  | { readonly event: "clusterRemoved"; readonly cluster: string }
  | { readonly event: "watching"; readonly cluster: string; readonly kind: WatchedKind }
  | {
      readonly event: "watchLost";
      readonly cluster: string;
      readonly kind: WatchedKind;
      readonly why: string;
      /** Milliseconds. */
      readonly retryIn: number;
    }
  | {
      readonly event: "triggered";
      readonly reason: Reason;
      readonly cluster: string;
      /** `services shop/web`, the hostname, or what a probed gateway does. */
      readonly about: string;
    }
  /** It changes so often that nothing more is told of it for this long. */
  | { readonly event: "muted"; readonly cluster: string; readonly milliseconds: number }
  | {
      readonly event: "looked";
      readonly milliseconds: number;
      readonly sources: readonly SourceSeen[];
    }
  | { readonly event: "runBegan"; readonly command: Command }
  | {
      readonly event: "runEnded";
      readonly command: Command;
      readonly result: Result;
      /** Resources that were, or are to be, changed. */
      readonly changes: number;
      readonly milliseconds: number;
      readonly why?: string;
    }
  | {
      /** A run has done what was to be done, this long after the first sign of it. */
      readonly event: "converged";
      readonly milliseconds: number;
    }
  | {
      readonly event: "state";
      readonly state: State;
      /** Sentences. */
      readonly why: readonly string[];
      /** Milliseconds until it is tried again without a sign from a cluster. */
      readonly retryIn?: number;
    }
  /** `about`: the lock, or the processes. */
  | { readonly event: "cleared"; readonly what: Leftover; readonly about: string }
  /** What the state says of certificates: ISO 8601 by what expires, `the issuer of cluster west`. */
  | {
      readonly event: "expiries";
      readonly certificates: Readonly<Record<string, string>>;
    };

/** Must not throw; is called in the middle of things, so it must not take long. */
export type Observer = (event: WatchEvent) => void;
