import { printable } from "@linkerd-multicluster/engine/kubernetes";

/** Replaces control characters in all texts: clusters or other people wrote many of them. */
export function printableFacts<T>(value: T): T {
  return mapTexts(value, (text) => printable(text));
}

/** Changes all texts in a value, keys included. */
export function mapTexts<T>(value: T, read: (text: string) => string): T {
  const changed = (each: unknown): unknown => {
    if (typeof each === "string") return read(each);
    if (Array.isArray(each)) return each.map(changed);
    if (typeof each !== "object" || each === null) return each;
    return Object.fromEntries(
      Object.entries(each).map(([key, inner]) => [read(key), changed(inner)]),
    );
  };
  return changed(value) as T;
}
