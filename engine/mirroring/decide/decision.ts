import type { Endpoints, ObjectKey, Service } from "../../kubernetes/objects/objects.ts";
import type { Mirror, MirrorKind } from "../model/mirror.ts";
import type { FederatedClaim } from "./mirrors/federated-claim.ts";
import type { Skip } from "../model/reasons.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";

/** A field that is not as it should be, in words: what it is and what it will be. */
export interface FieldChange {
  readonly field: string;
  readonly live: string;
  readonly wanted: string;
}

/** The objects of a mirror in the source cluster, as observed. */
export interface LiveMirror {
  readonly service?: Service;
  readonly endpoints?: Endpoints;
}

interface About {
  /** The name of the link's target, or `federated`. */
  readonly part: string;
  /** Of the mirror. */
  readonly key: ObjectKey;
}

interface AboutMirror<Verdict extends string> extends About {
  readonly verdict: Verdict;
  readonly kind: MirrorKind;
  readonly live: LiveMirror;
  readonly fields: readonly FieldChange[];
  /** What becomes of this stack's marks on a Service that stays: it gets them, or loses them. */
  readonly mark?: "confirm" | "release";
  /** Of a federated Service: what this stack has to say about it. */
  readonly claim?: FederatedClaim;
}

/** `replace`: deleted and created again, since `clusterIP: None` cannot be changed in place. */
export type Write = AboutMirror<"create" | "update" | "replace"> & {
  readonly wanted: Mirror;
  /** From then on it is others' alone: a federated Service that this stack's members have left. */
  readonly isOthers?: boolean;
};

/** A mirror that stays as it is: it is right, or nothing can be concluded about it now. */
export type Keep = AboutMirror<"keep"> & {
  /** Absent: nobody asks for it, and it is in doubt whether it is to go. */
  readonly wanted?: Mirror;
};

export type Deletion = AboutMirror<"delete">;

/** A mirror that nobody asks for, and that is left to others since it is not provably this stack's alone. */
export type HandOver = AboutMirror<"handOver"> & {
  /** Who keeps it; absent: it carries no mark, so nobody knows. */
  readonly keeper?: string;
};

/** An exported Service, or one of its pods, that gets no mirror, and why. */
export type Skipped = About & Skip & { readonly verdict: "skip" };

/** What becomes of one object of a source, and why: everything that is said or done comes from a list of these. */
export type Decision = Write | Keep | Deletion | HandOver | Skipped;

// Spelled out for the schema of what commands print, which shows nothing else of a decision.
export type Verdict = "create" | "update" | "replace" | "keep" | "delete" | "handOver" | "skip";

export type Change = Write | Deletion;

/** A sentence and the part that it is about. */
export type Note = readonly [part: string, sentence: string];

export function isWrite(decision: Decision): decision is Write {
  return ["create", "update", "replace"].includes(decision.verdict);
}

export function isDeletion(decision: Decision): decision is Deletion {
  return decision.verdict === "delete";
}

/** Whether something is written or deleted. */
export function isChange(decision: Decision): decision is Change {
  return isWrite(decision) || isDeletion(decision);
}

export function isSkip(decision: Decision): decision is Skipped {
  return decision.verdict === "skip";
}

/** Whether a mirror is there once the decisions are carried out, and this stack's to list. */
export function isListed(decision: Decision): decision is Write | Keep {
  return isWrite(decision) ? decision.isOthers !== true : decision.verdict === "keep";
}

/** A mirror that is as it should be, and is to get this stack's mark. */
export function isConfirmed(decision: Decision): decision is Keep & { readonly wanted: Mirror } {
  return decision.verdict === "keep" && isWanted(decision) && decision.mark === "confirm";
}

/** A mirror that stays with others, and is to lose this stack's mark. */
export function isReleased(decision: Decision): decision is HandOver {
  return decision.verdict === "handOver" && decision.mark === "release";
}

/** Whether anything at all is sent for it. */
export function isSent(decision: Decision): boolean {
  return isChange(decision) || (!isSkip(decision) && decision.mark !== undefined);
}

/** A decision about a mirror that should exist and can. */
export type Wanted = (Write | Keep) & { readonly wanted: Mirror };

export function isWanted(decision: Decision): decision is Wanted {
  return "wanted" in decision;
}

/** The namespaces that the mirrors need and the source does not have, sorted, each with the part that needs it first. */
export function namespacesToCreate(
  decisions: readonly Decision[],
  { namespaces }: Pick<ClusterSnapshot, "namespaces">,
): ReadonlyMap<string, string> {
  const missing = new Map<string, string>();
  for (const { wanted, part } of decisions.filter(isWanted))
    if (!namespaces.has(wanted.namespace) && !missing.has(wanted.namespace))
      missing.set(wanted.namespace, part);
  return new Map([...missing].sort(([a], [b]) => (a < b ? -1 : 1)));
}
