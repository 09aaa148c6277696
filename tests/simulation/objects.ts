/** An object in the API's JSON, as far as it is known to every kind. */
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

/** What somebody writes, in the API's JSON, without what the server adds. */
export interface Draft {
  readonly metadata?: Partial<Meta>;
  readonly [field: string]: unknown;
}

/** `namespace/name`, or the name alone. */
export function keyOf({ name, namespace = "" }: Pick<Meta, "name" | "namespace">): string {
  return namespace === "" ? name : `${namespace}/${name}`;
}

/** When everything happens. */
export const now = "2026-01-01T00:00:00Z";

/** A JSON merge patch (RFC 7396). */
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

/** Without those of the fields that are empty, as the API's JSON leaves them out. */
export function withoutEmpty<T extends object>(value: T, fields: readonly string[]): T {
  const kept = Object.entries(value).filter(
    ([key, part]) => !fields.includes(key) || !isEmpty(part),
  );
  return Object.fromEntries(kept) as T;
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === "" || Object.keys(value).length === 0;
}
