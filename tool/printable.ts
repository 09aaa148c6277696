import { plain } from "@linkerd-multicluster/engine/kubernetes";

/** The same with each text as a terminal may show it: clusters say much of it, or somebody else has written it. */
export function printable<T>(value: T): T {
  return mapTexts(value, (text) => plain(text));
}

/** The same with each text as it is to be read, keys included. */
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
