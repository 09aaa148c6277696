import { isDeepStrictEqual } from "node:util";

import { completed } from "./completed.ts";
import { type Kind, kindOf } from "./kinds.ts";
import { managedAfter, type Writer } from "./managed-fields.ts";
import { type Draft, keyOf, now, type Stored, withoutEmpty } from "./objects.ts";

/** A write by anybody. */
export interface Entry {
  readonly verb: "create" | "update" | "patch" | "delete";
  readonly plural: string;
  readonly key: string;
  readonly by: string;
  readonly before: Stored | undefined;
  readonly after: Stored | undefined;
}

/** A write whose preconditions hold. */
export interface Write {
  readonly kind: Kind;
  readonly draft: Draft;
  readonly live: Stored | undefined;
  readonly by: string;
  readonly writer: Writer;
  /** The UID of a new object. By default, the server chooses it. */
  readonly uid?: string | undefined;
}

/** Holds the objects of a cluster, and does at once what Kubernetes' controllers do after a change. */
export class Store {
  readonly journal: Entry[] = [];
  readonly #name: string;
  #objects = new Map<string, Map<string, Stored>>();
  #version = 100;
  #address = 1;

  /** @param name becomes part of UIDs, so that no two clusters share one */
  constructor(name: string) {
    this.#name = name;
  }

  copyTo(copy: Store): void {
    copy.#objects = new Map([...this.#objects].map(([plural, all]) => [plural, new Map(all)]));
    copy.#version = this.#version;
    copy.#address = this.#address;
  }

  get version(): string {
    return String(this.#version);
  }

  all(plural: string): ReadonlyMap<string, Stored> {
    return this.#all(plural);
  }

  get(plural: string, key: string): Stored | undefined {
    return this.#all(plural).get(key);
  }

  /** @throws Refused if the object is invalid */
  write({ kind, draft, live, by, writer, uid }: Write): Stored {
    const { name = "", namespace = "" } = draft.metadata ?? {};
    const metadata = {
      ...draft.metadata,
      creationTimestamp: draft.metadata?.creationTimestamp ?? now,
      name,
      uid: uid ?? live?.metadata.uid ?? this.#uid(),
      resourceVersion: "",
      ...(kind.namespaced && { namespace }),
    };
    const typed = { ...draft, apiVersion: kind.apiVersion, kind: kind.kind, metadata };
    const whole = completed(plain(typed), live, () => this.#freeAddress());
    const managedFields = managedAfter(whole, live, writer);
    const shown = compact({ ...whole, metadata: { ...whole.metadata, managedFields } });
    if (live !== undefined && isDeepStrictEqual(unversioned(shown), unversioned(live))) return live;
    return this.#put(kind, live, by, shown);
  }

  remove(kind: Kind, live: Stored, by: string): Stored {
    const { finalizers = [], deletionTimestamp } = live.metadata;
    const isNamespace = kind.plural === "namespaces";
    if (finalizers.length === 0 && !isNamespace) {
      this.#drop(kind, live, by);
      return live;
    }
    if (deletionTimestamp !== undefined) return live;
    const metadata = {
      ...live.metadata,
      deletionTimestamp: now,
      ...(!isNamespace && { deletionGracePeriodSeconds: 0 }),
      resourceVersion: this.#next(),
    };
    const going = { ...live, metadata, ...(isNamespace && { status: { phase: "Terminating" } }) };
    const key = keyOf(metadata);
    this.#all(kind.plural).set(key, going);
    this.journal.push({ verb: "delete", plural: kind.plural, key, by, before: live, after: going });
    if (isNamespace) this.#empty(key);
    return going;
  }

  #put(kind: Kind, live: Stored | undefined, by: string, shown: Stored): Stored {
    const stored = { ...shown, metadata: { ...shown.metadata, resourceVersion: this.#next() } };
    const key = keyOf(stored.metadata);
    const { deletionTimestamp, finalizers = [] } = stored.metadata;
    const verb = live === undefined ? "create" : "update";
    this.journal.push({ verb, plural: kind.plural, key, by, before: live, after: stored });
    const isGone =
      deletionTimestamp !== undefined && finalizers.length === 0 && kind.plural !== "namespaces";
    if (!isGone) {
      this.#all(kind.plural).set(key, stored);
      return stored;
    }
    this.#forget(kind, stored);
    const { resourceVersion = "" } = live?.metadata ?? {};
    return { ...stored, metadata: { ...stored.metadata, resourceVersion } };
  }

  #drop(kind: Kind, live: Stored, by: string): void {
    const key = keyOf(live.metadata);
    this.#next();
    const entry = { plural: kind.plural, key, by, before: live, after: undefined };
    this.journal.push({ verb: "delete", ...entry });
    this.#forget(kind, live);
  }

  #forget({ plural }: Kind, { metadata }: Stored): void {
    const key = keyOf(metadata);
    this.#all(plural).delete(key);
    // Kubernetes' endpoints controller does this.
    const left = plural === "services" ? this.get("endpoints", key) : undefined;
    if (left !== undefined) this.remove(kindOf("endpoints"), left, "endpoints-controller");
    const { namespace = "" } = metadata;
    const home = this.get("namespaces", namespace);
    if (home?.status !== undefined && isTerminating(home)) this.#empty(namespace);
  }

  /** Deletes what is in a namespace and then the namespace, as Kubernetes' namespace controller does. */
  #empty(namespace: string): void {
    const everything = [...this.#objects].filter(([plural]) => plural !== "namespaces");
    const inside = everything.flatMap(([plural, all]) =>
      [...all.values()]
        .filter(({ metadata }) => metadata.namespace === namespace)
        .map((object) => [kindOf(plural), object] as const),
    );
    const free = inside.find(([, { metadata }]) => metadata.deletionTimestamp === undefined);
    if (free !== undefined) {
      this.remove(...free, "namespace-controller");
      this.#empty(namespace);
      return;
    }
    const home = this.get("namespaces", namespace);
    if (inside.length === 0 && home !== undefined)
      this.#drop(kindOf("namespaces"), home, "namespace-controller");
  }

  #all(plural: string): Map<string, Stored> {
    const all = this.#objects.get(plural) ?? new Map<string, Stored>();
    this.#objects.set(plural, all);
    return all;
  }

  #next(): string {
    this.#version += 1;
    return String(this.#version);
  }

  #uid(): string {
    return `${this.#name}-${this.#next()}`;
  }

  #freeAddress(): string {
    this.#address += 1;
    return `10.96.${this.#address >> 8}.${this.#address & 255}`;
  }
}

function isTerminating({ status }: Stored): boolean {
  return (status as { readonly phase?: string }).phase === "Terminating";
}

function compact(object: Stored): Stored {
  const maps = ["labels", "annotations", "finalizers", "ownerReferences", "managedFields"];
  return { ...object, metadata: withoutEmpty(object.metadata, maps) };
}

function plain<T>(object: T): T {
  return JSON.parse(JSON.stringify(object)) as T;
}

function unversioned({ metadata, ...rest }: Stored): object {
  const { resourceVersion: _, ...meta } = metadata;
  return plain({ ...rest, metadata: meta });
}
