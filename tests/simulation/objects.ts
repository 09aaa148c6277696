/** The parts of an object that all kinds have. */
export interface Stored {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Meta;
  readonly [field: string]: unknown;
}

export interface Meta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly deletionTimestamp?: string;
  readonly [field: string]: unknown;
}

/** An object as a client sends it. */
export interface Draft {
  readonly metadata?: Partial<Meta>;
  readonly [field: string]: unknown;
}

export function keyOf({ name, namespace = "" }: Pick<Meta, "name" | "namespace">): string {
  return namespace === "" ? name : `${namespace}/${name}`;
}

/** The clock stands still. */
export const now = "2026-01-01T00:00:00Z";

/** Applies a JSON merge patch (RFC 7396). */
export function mergedWith(value: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const merged = new Map<string, unknown>(isRecord(value) ? Object.entries(value) : []);
  for (const [key, part] of Object.entries(patch)) {
    if (part === null) merged.delete(key);
    else merged.set(key, mergedWith(merged.get(key), part));
  }
  return Object.fromEntries(merged);
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Removes those of the fields that are empty, as the API's JSON does. */
export function withoutEmpty<T extends object>(value: T, fields: readonly string[]): T {
  const kept = Object.entries(value).filter(
    ([key, part]) => !fields.includes(key) || !isEmpty(part),
  );
  return Object.fromEntries(kept) as T;
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === "" || Object.keys(value).length === 0;
}
