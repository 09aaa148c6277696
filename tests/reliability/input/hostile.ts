import fc from "fast-check";

export type Json = unknown;

/** Stands in place of a secret, so no sentence may hold it. */
export const canary = "c4n4ry-0f-4-s3cr3t";

/** Values of every type where another one is meant, and harmful texts. */
export const hostile: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(
    ...[null, undefined, true, false, 0, -0, -1, 1.5, NaN, Infinity, 1e308, 2 ** 53, 65_536],
    ...["", " ", "\n", "true", "1", "0x1", "50%", "1e3%", "-1%", "None", "null"],
    ...["__proto__", "constructor", "hasOwnProperty", "toString", "West", "WEST", "a/b", "a@b,c"],
    ...["\u001b[31mred\u001b[0m", "\u202egnp.exe", "\u2028", "\u0000", "\ud800"],
    ...["ｗｅｓｔ", "ü", "🙂"],
    ...["../../etc/passwd", "-----BEGIN CERTIFICATE-----\n", "https://u:p@h", "127.0.0.1"],
    ...[[], {}, [[]], [null], { "": null }, [1, 2, 3], { key: "" }, new Array(300).fill("x")],
  ),
  fc.integer(),
  fc.double(),
  fc.string({ unit: "binary" }),
  fc.nat({ max: 100_000 }).map((length) => "x".repeat(length)),
  fc.nat({ max: 5_000 }).map((length) => "-".repeat(length)),
  fc.nat({ max: 20_000 }).map((length) => "a.".repeat(length)),
);

/** Lists in lists or maps in maps, up to a thousand deep. */
export const deeplyNested: fc.Arbitrary<Json> = fc
  .tuple(fc.constantFrom("list", "map"), fc.nat({ max: 1_000 }))
  .map(([kind, depth]) => {
    let value: Json = 1;
    for (let left = depth; left > 0; left--) value = kind === "list" ? [value] : { a: value };
    return value;
  });

/** Returns a value as JSON, or a word for undefined. */
export function jsonOf(value: Json): string {
  return value === undefined ? "undefined" : JSON.stringify(value);
}

export interface Mutation {
  /** The number of the place, counted around. */
  readonly at: number;
  readonly how: "replace" | "add" | "remove" | "rename";
  /** The new key, for `add` and `rename`. */
  readonly key: string;
  readonly value: Json;
}

/** Changes the value in place, if it has places. */
export function mutate(inside: Json, { at, how, key, value: shared }: Mutation): void {
  // Without a copy, a value that is inserted twice could contain itself.
  const value: Json = structuredClone(shared);
  const places = placesIn(inside);
  const place = places[at % Math.max(1, places.length)];
  if (place === undefined) return;
  const [holder, field] = place;
  const old: Json = Reflect.get(holder, field);
  if (Array.isArray(holder) && how !== "replace") {
    const more = { add: [old, value], remove: [], rename: [old] }[how];
    holder.splice(Number(field), 1, ...more);
    return;
  }
  if (how === "remove" || how === "rename") Reflect.deleteProperty(holder, field);
  if (how === "replace") define(holder, field, value);
  if (how === "add") define(holder, key, value);
  if (how === "rename") define(holder, key, old);
}

/** Like JSON.parse, this treats `__proto__` as a key like any other. */
function define(holder: object, field: string, value: Json): void {
  const own = { enumerable: true, configurable: true, writable: true };
  Object.defineProperty(holder, field, { ...own, value });
}

/** Returns every key of every map and list. Managed fields would be most of an object, so they count as one. */
function placesIn(value: Json): (readonly [object, string])[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([field, inner]: [string, Json]) => [
    [value, field] as const,
    ...(field === "managedFields" ? [] : placesIn(inner)),
  ]);
}
