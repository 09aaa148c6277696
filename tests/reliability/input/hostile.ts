import fc from "fast-check";

export type Json = unknown;

/** No sentence may hold it. It stands where a secret would be. */
export const canary = "c4n4ry-0f-4-s3cr3t";

/** Values of every type that somebody may get where another was meant, and texts that do harm. */
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

/** Lists in lists or maps in maps, a thousand deep. */
export const deeplyNested: fc.Arbitrary<Json> = fc
  .tuple(fc.constantFrom("list", "map"), fc.nat({ max: 1_000 }))
  .map(([kind, depth]) => {
    let value: Json = 1;
    for (let left = depth; left > 0; left--) value = kind === "list" ? [value] : { a: value };
    return value;
  });

/** A value as JSON; undefined, of which there is none, as a word. */
export function jsonOf(value: Json): string {
  return value === undefined ? "undefined" : JSON.stringify(value);
}

/** Something that is done at one of the places in a value. */
export interface Mutation {
  /** Which place, if there were no end of them. */
  readonly at: number;
  readonly how: "replace" | "add" | "remove" | "rename";
  /** What is added is called, and what is renamed from then on. */
  readonly key: string;
  readonly value: Json;
}

/** Changes the value itself; nothing where it has no places. */
export function mutate(inside: Json, { at, how, key, value: shared }: Mutation): void {
  // A value that is put in twice must not come to be in itself.
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

/** As JSON.parse makes maps: `__proto__` is a key like any other. */
function define(holder: object, field: string, value: Json): void {
  const own = { enumerable: true, configurable: true, writable: true };
  Object.defineProperty(holder, field, { ...own, value });
}

/** Every map and list in it, with each of its keys; managed fields count as one, being most of an object. */
function placesIn(value: Json): (readonly [object, string])[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([field, inner]: [string, Json]) => [
    [value, field] as const,
    ...(field === "managedFields" ? [] : placesIn(inner)),
  ]);
}
