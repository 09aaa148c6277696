import type { ObjectKey } from "../kubernetes/objects/objects.ts";
import type { FieldChange, LiveMirror, Mirror, MirrorKind } from "./mirror.ts";
import type { FederatedClaim } from "./federated-claim.ts";
import type { Skip } from "./reasons.ts";
import type { ClusterSnapshot } from "./snapshot.ts";
import { isPending } from "./verdicts.ts";
import { tokensIn } from "./vocabulary.ts";

interface About {
  readonly part: string;
  readonly key: ObjectKey;
}

interface AboutMirror<Verdict extends string> extends About {
  readonly verdict: Verdict;
  readonly kind: MirrorKind;
  readonly live: LiveMirror;
  readonly fields: readonly FieldChange[];
  /** Copied keys that another writer keeps setting stay as they are. */
  readonly left?: readonly FieldChange[];
  /** This stack's mark is added to a Service that stays, or removed from it. */
  readonly mark?: "confirm" | "release";
  readonly claim?: FederatedClaim;
}

/** `replace` deletes and creates the Service, because `clusterIP: None` can't be changed in place. */
export type Write = AboutMirror<"create" | "update" | "replace"> & {
  readonly wanted: Mirror;
  /** This stack's members have left the federated Service, which now belongs to others. */
  readonly isOthers?: boolean;
};

export type Keep = AboutMirror<"keep"> & {
  /** The reason is absent if no link wants the mirror and it can't be decided whether to delete it. */
  readonly wanted?: Mirror;
  /** Names a mirror that will replace this one or others of its Service, and isn't in place yet. */
  readonly successor?: ObjectKey;
};

export type Deletion = AboutMirror<"delete"> & {
  /** Names the mirror of the same Service or pod under its present name. */
  readonly successor?: ObjectKey;
  /** Another link has a decision about the same mirror, and relabels it. */
  readonly takenBy?: string;
};

/** Leaves a mirror that no link wants to others, because it isn't provably this stack's alone. */
export type HandOver = AboutMirror<"handOver"> & {
  /** Names the stacks that have marked it; absent if it carries no mark. */
  readonly keeper?: string;
};

export type Skipped = About & Skip & { readonly verdict: "skip" };

/** Previews, state, status, health and writes are all derived from a list of these. */
export type Decision = Write | Keep | Deletion | HandOver | Skipped;

export type { Verdict } from "./verdicts.ts";

export type Change = Write | Deletion;

export type Note = readonly [part: string, sentence: string];

export function isWrite(decision: Decision): decision is Write {
  return ["create", "update", "replace"].includes(decision.verdict);
}

export function isChange(decision: Decision): decision is Change {
  return isPending(decision);
}

export function isSkip(decision: Decision): decision is Skipped {
  return decision.verdict === "skip";
}

/** Returns whether a deletion is carried out by another link, which takes the mirror over. */
export function isTaken(decision: Decision): decision is Deletion & { readonly takenBy: string } {
  return decision.verdict === "delete" && decision.takenBy !== undefined;
}

/** Returns whether the mirror exists after the run and is listed as this stack's. */
export function isListed(decision: Decision): decision is Write | Keep {
  return isWrite(decision) ? decision.isOthers !== true : decision.verdict === "keep";
}

/** Returns whether a mirror is in order and only gets this stack's mark. */
export function isConfirmed(decision: Decision): decision is Wanted {
  return decision.verdict === "keep" && isWanted(decision) && decision.mark === "confirm";
}

export function isSent(decision: Decision): boolean {
  return isChange(decision) || (!isSkip(decision) && decision.mark !== undefined);
}

export type Wanted = (Write | Keep) & { readonly wanted: Mirror };

export function isWanted(decision: Decision): decision is Wanted {
  return "wanted" in decision;
}

/** Names what a run takes away: mirrors, and remote members of federated Services. */
export function losses(decisions: readonly Decision[]): readonly string[] {
  return decisions.flatMap((each) => {
    const name = `${each.part} ${each.key}`;
    if (each.verdict === "delete") return [name];
    if (each.verdict !== "update" || each.kind !== "federated") return [];
    const left = new Set(tokensIn(each.wanted.annotations));
    const before = tokensIn(each.live.service?.metadata.annotations ?? {});
    return before.filter((token) => !left.has(token)).map((token) => `${name} ${token}`);
  });
}

/** Returns the missing namespaces, sorted, each with the first part that needs it. */
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
