import * as z from "zod";

/**
 * The tables of config keys (keys.ts and *-keys.ts) are built from these functions. Every message of a type completes
 * the sentence "it must be ..." (mistakes.ts).
 */

/** The values of `manage`. */
export const modes = ["all", "links", "mirrors", "trust"] as const;

export type Mode = (typeof modes)[number];

export type Key<Value = unknown> = {
  readonly type: z.ZodType<Value>;
  /** Markdown that follows the key and a colon. */
  readonly meaning: string;
  readonly of?: Section;
  /** The value may hold credentials, which no message may quote. */
  readonly confidential?: true;
  /** In other modes, the key has no effect. Keys of a map have those of the map if they name none. */
  readonly modes?: readonly Mode[];
} & (
  | { readonly default: Value }
  /** Markdown for what applies without the key, where that is not a value. */
  | { readonly otherwise: string }
  | { readonly required: true }
);

/** Returns the default in Markdown; undefined for a required key. */
export function absenceOf(key: Key): string | undefined {
  if ("required" in key) return undefined;
  if ("otherwise" in key) return key.otherwise;
  const value = key.default;
  if (typeof value === "string") return `\`${value}\``;
  const labels = isLabels(value) ? Object.entries(value.matchLabels) : [];
  const terms = labels.map((label) => label.join("=")).join(",");
  return `\`${terms === "" ? JSON.stringify(value) : terms}\``;
}

function isLabels(value: unknown): value is { readonly matchLabels: object } {
  return typeof value === "object" && value !== null && "matchLabels" in value;
}

export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function sentenceOf(key: Key): string {
  const without = absenceOf(key);
  return `${meaningOf(key)} (${without === undefined ? "required" : `default: ${without}`})`;
}

/** Returns what a key means, and in which modes. */
export function meaningOf({ meaning, modes: some }: Key): string {
  if (some === undefined) return meaning;
  const others = modes.filter((mode) => !some.includes(mode));
  const named = (list: readonly Mode[]) => list.map((mode) => `\`${mode}\``).join(" or ");
  const when =
    others.length === 1
      ? `not with \`manage: ${others.join()}\``
      : `only with \`manage\` ${named(some)}`;
  return `${meaning}; ${when}`;
}

export type Keys<Values = Record<string, unknown>> = {
  readonly [Name in keyof Values]-?: Key<Values[Name]>;
};

export interface Section {
  /** Messages call a map with these keys by this noun. */
  readonly noun: string;
  readonly keys: Keys;
}

export interface CheckedSection<K extends Keys> extends Section {
  readonly keys: K;
  readonly schema: z.ZodObject<Shape<K>>;
}

type Shape<K extends Keys> = {
  -readonly [Name in keyof K]: K[Name] extends { readonly required: true }
    ? K[Name]["type"]
    : z.ZodExactOptional<K[Name]["type"]>;
};

export function section<const K extends Keys>(noun: string, keys: K): CheckedSection<K> {
  const names = Object.keys(keys).join(", ");
  const shape = Object.entries<Key>(keys).map(([name, key]) => {
    return [name, "required" in key ? key.type : key.type.exactOptional()] as const;
  });
  const schema = z.strictObject(Object.fromEntries(shape) as Shape<K>, {
    // Messages about a map's unknown keys use the noun of its section.
    error: ({ code }) => (code === "unrecognized_keys" ? noun : `a map of ${names}`),
  });
  return { noun, keys, schema };
}

type Optional<K extends Keys> = {
  [Name in keyof K]: K[Name] extends { readonly otherwise: string } ? Name : never;
}[keyof K];

export type Filled<K extends Keys> = {
  readonly [Name in Exclude<keyof K, Optional<K>>]: z.output<K[Name]["type"]>;
} & { readonly [Name in Optional<K>]?: z.output<K[Name]["type"]> };

/** Fills in the table's defaults for missing keys. */
export function filled<K extends Keys, Values extends object>(keys: K, values: Values) {
  const defaults = Object.entries<Key>(keys).flatMap(([name, key]) => {
    return "default" in key ? [[name, key.default]] : [];
  });
  return { ...Object.fromEntries(defaults), ...values } as Filled<K> & Values;
}

export function text(rule: string, matches: (text: string) => boolean) {
  return z.string({ error: rule }).refine(matches, { error: rule });
}

export function oneOf<const Word extends string>(...allowed: Word[]) {
  const rule = `${allowed.slice(0, -1).join(", ")} or ${allowed.at(-1) ?? ""}`;
  return z.enum(allowed, { error: rule });
}

export function wholeNumber(rule: string, most = Number.MAX_SAFE_INTEGER, least = 1) {
  const error = { error: rule };
  return z.number(error).int(error).min(least, error).max(most, error);
}

export function list<Item extends z.ZodType>(item: Item, rule: string) {
  return z.array(item, { error: rule });
}

export const flag = z.boolean({ error: "true or false" });

export function required<Type extends z.ZodType>(type: Type, meaning: string) {
  return { type, required: true, meaning } as const;
}

type Extras = Pick<Key, "of" | "confidential">;

export function withDefault<Type extends z.ZodType, const Value>(
  type: Type,
  value: Value,
  meaning: string,
  extras: Extras = {},
) {
  return { type, default: value, meaning, ...extras } as const;
}

export function optional<Type extends z.ZodType>(
  type: Type,
  otherwise: string,
  meaning: string,
  extras: Extras = {},
) {
  return { type, otherwise, meaning, ...extras } as const;
}

/** The modes in which a stack has trust, gives access, has mirrors, and knows identities of clients. */
export const trusting = ["all", "trust"] as const;
export const linking = ["all", "links"] as const;
export const mirroring = ["all", "links", "mirrors"] as const;
export const identifying = ["all", "links", "trust"] as const;

export function only<K extends Key>(some: readonly Mode[], key: K) {
  return { ...key, modes: some };
}

export function off(meaning: string) {
  return withDefault(flag, false, meaning);
}

/** The first word is the default. */
export function choice<const Words extends readonly [string, ...string[]]>(
  words: Words,
  meaning: string,
) {
  const [first]: readonly [Words[0], ...string[]] = words;
  return withDefault(oneOf<Words[number]>(...words), first, meaning);
}

/** Its entries are read one by one, so that one mistake doesn't hide the others (read.ts). */
export const anything = z.unknown();
