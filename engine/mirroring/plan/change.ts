import type { Endpoints, ObjectKey, Service } from "../../kubernetes/objects.ts";
import type { Mirror, MirrorKind } from "../model/mirror.ts";
import type { Skip } from "../model/reasons.ts";

/** A field that is not as it should be, in words: what it is and what it will be. */
export interface FieldChange {
  readonly field: string;
  readonly live: string;
  readonly wanted: string;
}

/** What a mirror consists of in the source cluster, as observed. */
export interface LiveMirror {
  readonly service?: Service;
  readonly endpoints?: Endpoints;
}

interface ChangeOf<Action extends string> {
  readonly action: Action;
  readonly kind: MirrorKind;
  readonly key: ObjectKey;
  readonly live: LiveMirror;
  readonly fields: readonly FieldChange[];
}

/** `replace`: deleted and created again, since `clusterIP: None` cannot be changed in place. */
export type Change =
  (ChangeOf<"create" | "update" | "replace"> & { readonly wanted: Mirror }) | ChangeOf<"delete">;

export type Write = Extract<Change, { readonly wanted: Mirror }>;

/**
 * Everything one run is going to do to the source cluster for one part of its mirrors, and what it
 * leaves. A part is what one link asks for, by the name of its target, or `federated`.
 */
export interface Plan {
  /** Namespaces to create, sorted. */
  readonly namespaces: readonly string[];
  /** ClusterIPs of the mirrors that exist. */
  readonly addresses: ReadonlyMap<ObjectKey, string>;
  /** Sorted by key. */
  readonly changes: readonly Change[];
  /** The mirrors that should exist and can. */
  readonly wanted: readonly Mirror[];
  /** One line for each mirror that exists once the plan is carried out. */
  readonly mirrors: Readonly<Record<ObjectKey, string>>;
  readonly skips: readonly Skip[];
  /** Set where the plan deletes more than the links allow: then nothing of it may be done. */
  readonly refusal?: string;
}

/** The plans of one source by part, made together: names that collide are seen across all parts. */
export type SourcePlan = ReadonlyMap<string, Plan>;
