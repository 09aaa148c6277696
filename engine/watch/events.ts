/** What a watch tells of itself: logs and metrics hang on nothing else. */

/** The kinds of objects that are watched, as the API calls them. */
export type WatchedKind = "services" | "endpoints" | "namespaces" | "links";

/** Why clusters are looked at. */
export type Reason =
  /** Something has changed in a cluster. */
  | "event"
  /** A watch begins, or begins again: what has changed meanwhile is not known. */
  | "listed"
  /** The hostname of a gateway leads elsewhere. */
  | "hostname";

/** Where the stack is, as far as it is known. */
export type State = "starting" | "settled" | "running" | "refused" | "failing" | "locked";

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

export type Command = "preview" | "up";

export type WatchEvent =
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
      /** `services shop/web`, or the hostname. */
      readonly about: string;
    }
  | {
      readonly event: "looked";
      readonly milliseconds: number;
      readonly sources: readonly SourceSeen[];
    }
  | { readonly event: "runBegan"; readonly command: Command }
  | {
      readonly event: "runEnded";
      readonly command: Command;
      readonly result: "succeeded" | "failed" | "locked" | "cancelled";
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
  /** Of what an earlier watch had left behind; `about`: the lock, or the processes. */
  | { readonly event: "cleared"; readonly what: "lock" | "processes"; readonly about: string };

/** Must not throw; is called in the middle of things, so it must not take long. */
export type Observer = (event: WatchEvent) => void;
