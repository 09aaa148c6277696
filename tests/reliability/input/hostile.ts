import fc from "fast-check";

/** No sentence may hold it. It stands where a secret would be. */
export const canary = "c4n4ry-0f-4-s3cr3t";

/** Values of every type that somebody may get where another was meant, and texts that do harm. */
export const hostile: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    ...[null, undefined, true, false, 0, -0, -1, 1.5, NaN, Infinity, 1e308, 2 ** 53, 65_536],
    ...["", " ", "\n", "true", "1", "0x1", "50%", "1e3%", "-1%", "None", "null"],
    ...["__proto__", "constructor", "hasOwnProperty", "toString", "West", "WEST", "a/b", "a@b,c"],
    ...[
      "\u001b[31mred\u001b[0m",
      "\u202egnp.exe",
      "\u2028",
      "\u0000",
      "\ud800",
      "ｗｅｓｔ",
      "ü",
      "🙂",
    ],
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
export const deeplyNested: fc.Arbitrary<unknown> = fc
  .tuple(fc.constantFrom("list", "map"), fc.nat({ max: 1_000 }))
  .map(([kind, depth]) => {
    let value: unknown = 1;
    for (let left = depth; left > 0; left--) value = kind === "list" ? [value] : { a: value };
    return value;
  });

/** A value as JSON; undefined, of which there is none, as a word. */
export function jsonOf(value: unknown): string {
  return value === undefined ? "undefined" : JSON.stringify(value);
}
