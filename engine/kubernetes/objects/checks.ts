import { inDigits } from "../../base/message.ts";
import { bounds } from "./bounds.ts";
import { SharedValues } from "./shared-values.ts";

/** A check returns a value or what is `Wrong`. With `keep`, the value has the checked fields alone. */
export type Check<T = unknown> = (value: unknown, keep?: SharedValues) => T | Wrong;

export type Of<C extends Check> = Exclude<ReturnType<C>, Wrong>;

/** The words continue the value's name: ` is not a list`, `.ports[] is not a map`. They never quote the value. */
export class Wrong {
  readonly words: string;

  constructor(words: string) {
    this.words = words;
  }
}

/** Computes the bytes that a list keeps of a value that shares nothing with others. */
export function bytesOf(check: Check, value: unknown): number {
  const keep = new SharedValues();
  check(value, keep);
  return keep.bytes;
}

/** @param words completes "is not" */
export function text(
  words: string,
  isRight: (text: string) => boolean = () => true,
): Check<string> {
  const wrong = new Wrong(` is not ${words}`);
  return (value, keep) => {
    if (typeof value !== "string" || !isRight(value)) return wrong;
    keep?.take(value.length);
    return value;
  };
}

export function wholeNumber(least: number, most: number): Check<number> {
  const wrong = new Wrong(` is not a whole number from ${least} to ${most}`);
  return (value) =>
    typeof value === "number" && Number.isInteger(value) && value >= least && value <= most
      ? value
      : wrong;
}

export const flag: Check<boolean> = (value) =>
  typeof value === "boolean" ? value : new Wrong(" is not a flag");

/** The program does not read such a value. */
export const anything: Check = (value, keep) => (keep === undefined ? value : true);

export function either<A, B>(one: Check<A>, other: Check<B>): Check<A | B> {
  return (value, keep) => {
    const read = one(value, keep);
    if (!(read instanceof Wrong)) return read;
    const second = other(value, keep);
    return second instanceof Wrong ? read : second;
  };
}

export type Fields = Readonly<Record<string, Check>>;

type MapOf<F extends Fields, R extends keyof F> = Flat<
  { readonly [K in R]: Of<F[K]> } & {
    readonly [K in Exclude<keyof F, R>]?: Exclude<Of<F[K]>, undefined>;
  }
>;
type Flat<T> = { readonly [K in keyof T]: T[K] };

/**
 * Null counts as absent, since Go writes it for absent fields.
 *
 * @param others `kept`: a list keeps other fields too, because the program writes the map back
 */
export function map<const F extends Fields, R extends keyof F & string = never>(
  fields: F,
  required: readonly R[] = [],
  others: "dropped" | "kept" = "dropped",
): Check<MapOf<F, R>> {
  const checks = Object.entries<Check>(fields);
  return (value, keep) => {
    if (!isRecord(value)) return new Wrong(" is not a map");
    keep?.take();
    const isWhole = keep === undefined || others === "kept";
    const read: Record<string, unknown> = isWhole ? withoutNull(value) : {};
    for (const [name, field] of Object.entries(read))
      if (!Object.hasOwn(fields, name)) keep?.take(name.length + JSON.stringify(field).length);
    for (const [name, check] of checks) {
      const field = value[name];
      if (field === undefined || field === null) continue;
      const taken = check(field, keep);
      if (taken instanceof Wrong) return new Wrong(`.${name}${taken.words}`);
      if (taken === undefined) Reflect.deleteProperty(read, name);
      else read[name] = taken;
    }
    const missing = required.find((name) => read[name] === undefined);
    return missing === undefined ? (read as MapOf<F, R>) : new Wrong(`.${missing} is missing`);
  };
}

function withoutNull(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null));
}

const tooMany = new Wrong(` has more than ${inDigits(bounds.entries.most)} entries`);

export function list<T>(item: Check<T>): Check<readonly T[]> {
  return (value, keep) => {
    if (!Array.isArray(value)) return new Wrong(" is not a list");
    if (value.length > bounds.entries.most) return tooMany;
    keep?.take();
    const read: T[] = [];
    for (const each of value) {
      const taken = item(each, keep);
      if (taken instanceof Wrong) return new Wrong(`[]${taken.words}`);
      read.push(taken);
    }
    return read;
  };
}

export function texts(
  isKey: (key: string) => boolean = () => true,
  isValue: (text: string) => boolean = () => true,
  most = Infinity,
): Check<Readonly<Record<string, string>>> {
  return (value, keep) => {
    if (!isRecord(value)) return new Wrong(" is not a map");
    let [length, entries] = [0, 0];
    for (const key in value) {
      if (++entries > bounds.entries.most) return tooMany;
      const text = value[key];
      if (!isKey(key)) return new Wrong(" has a key that Kubernetes does not allow");
      if (typeof text !== "string") return new Wrong(" has a value that is not text");
      if (!isValue(text)) return new Wrong(" has a value that Kubernetes does not allow");
      length += key.length + text.length;
      keep?.take(key.length + text.length);
    }
    return length > most
      ? new Wrong(` is longer than ${most} characters`)
      : (value as Readonly<Record<string, string>>);
  };
}

export function mapOf<T>(item: Check<T>): Check<Readonly<Record<string, T>>> {
  return (value, keep) => {
    if (!isRecord(value)) return new Wrong(" is not a map");
    const read: [string, T][] = [];
    const entries = Object.entries(value);
    if (entries.length > bounds.entries.most) return tooMany;
    for (const [key, each] of entries) {
      const taken = item(each, keep);
      if (taken instanceof Wrong) return taken;
      keep?.take(key.length);
      read.push([key, taken]);
    }
    return Object.fromEntries(read);
  };
}

/** @param words say what is wrong with a value that the check allows */
export function limited<T>(
  check: Check<T>,
  words: string,
  isRight: (value: T) => boolean,
): Check<T> {
  const wrong = new Wrong(words);
  return (value, keep) => {
    const read = check(value, keep);
    return read instanceof Wrong || isRight(read) ? read : wrong;
  };
}

/** Keeps a value once that many objects have in common. */
export function shared<T>(check: Check<T>): Check<T> {
  return (value, keep) => {
    const before = keep?.bytes ?? 0;
    const read = check(value, keep);
    return keep === undefined || read instanceof Wrong ? read : (keep.once(read, before) as T);
  };
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns undefined for invalid JSON, because the parser's error would quote the text, and for JSON that is too deep. */
export function parse(text: string): unknown {
  if (isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const [quote, backslash] = ['"', "\\"];

/** Whatever walks a value may recurse, and the stack of calls is limited. */
export function isTooDeep(json: string): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (character === quote) at = endOfText(json, at + 1);
    else if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") depth -= 1;
    if (depth > bounds.depth.most) return true;
  }
  return false;
}

function endOfText(json: string, from: number): number {
  for (let end = json.indexOf(quote, from); end >= 0; end = json.indexOf(quote, end + 1)) {
    let before = end;
    while (json[before - 1] === backslash) before -= 1;
    if ((end - before) % 2 === 0) return end;
  }
  return json.length;
}
