import { isRecord } from "./failure.ts";
import type { Keep } from "./keep.ts";

/**
 * What is kept of a value: a copy with nothing but the fields that are checked, or, without `keep`, with all
 * fields, as an object that is sent back must have them. `Wrong` where the value is none that may be.
 */
export type Check = (value: unknown, keep?: Keep) => unknown;

/**
 * What of a value is wrong, as the end of a sentence that begins with what the value is called:
 * ` is not a list`, `.ports has an item that is not a map`. Never quotes the value.
 */
export class Wrong {
  readonly words: string;

  constructor(words: string) {
    this.words = words;
  }
}

/** Text for which the rule holds; `words` completes "is not". */
export function text(words: string, isRight: (text: string) => boolean = () => true): Check {
  const wrong = new Wrong(` is not ${words}`);
  return (value, keep) => {
    if (typeof value !== "string" || !isRight(value)) return wrong;
    keep?.take(value.length);
    return value;
  };
}

export function wholeNumber(least: number, most: number): Check {
  const wrong = new Wrong(` is not a whole number from ${least} to ${most}`);
  return (value) =>
    typeof value === "number" && Number.isInteger(value) && value >= least && value <= most
      ? value
      : wrong;
}

export const flag: Check = (value) =>
  typeof value === "boolean" ? value : new Wrong(" is not a flag");

/** Whatever it is, nobody looks into it. */
export const anything: Check = (value, keep) => (keep === undefined ? value : {});

export function either(one: Check, other: Check): Check {
  return (value, keep) => {
    const read = one(value, keep);
    if (!(read instanceof Wrong)) return read;
    const second = other(value, keep);
    return second instanceof Wrong ? read : second;
  };
}

/**
 * A map of which these fields have to be as said. A field that is null is left out, since Go
 * writes null for what is absent; a field that must be there is given in `required`.
 */
export function map(
  fields: Readonly<Record<string, Check>>,
  required: readonly string[] = [],
): Check {
  const checks = Object.entries(fields);
  return (value, keep) => {
    if (!isRecord(value)) return new Wrong(" is not a map");
    keep?.take();
    const read: Record<string, unknown> = keep === undefined ? withoutNull(value) : {};
    for (const [name, check] of checks) {
      const field = value[name];
      if (field === undefined || field === null) continue;
      const kept = check(field, keep);
      if (kept instanceof Wrong) return new Wrong(`.${name}${kept.words}`);
      read[name] = kept;
    }
    const missing = required.find((name) => read[name] === undefined);
    return missing === undefined ? read : new Wrong(`.${missing} is missing`);
  };
}

function withoutNull(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null));
}

export function list(item: Check, most = Infinity): Check {
  return (value, keep) => {
    if (!Array.isArray(value)) return new Wrong(" is not a list");
    if (value.length > most) return new Wrong(` has more than ${most} items`);
    keep?.take();
    const read: unknown[] = [];
    for (const each of value) {
      const kept = item(each, keep);
      if (kept instanceof Wrong) return new Wrong(`[]${kept.words}`);
      read.push(kept);
    }
    return read;
  };
}

/** A map of text to text, at most `most` characters in all. */
export function texts(
  isKey: (key: string) => boolean = () => true,
  isValue: (text: string) => boolean = () => true,
  most = Infinity,
): Check {
  return (value, keep) => {
    if (!isRecord(value)) return new Wrong(" is not a map");
    let length = 0;
    for (const key in value) {
      const text = value[key];
      if (!isKey(key)) return new Wrong(" has a key that Kubernetes does not allow");
      if (typeof text !== "string") return new Wrong(" has a value that is not text");
      if (!isValue(text)) return new Wrong(" has a value that Kubernetes does not allow");
      length += key.length + text.length;
      keep?.take(key.length + text.length);
    }
    return length > most ? new Wrong(` is longer than ${most} characters`) : value;
  };
}

/** The keys of a map, of which nobody looks at the values. */
export const keys: Check = (value, keep) => {
  if (!isRecord(value)) return new Wrong(" is not a map");
  if (keep === undefined) return value;
  return Object.fromEntries(
    Object.keys(value).map((key) => {
      keep.take(key.length);
      return [key, true];
    }),
  );
};

/** What the check keeps, and for which the rule holds. */
export function also(check: Check, rule: (value: unknown) => string | undefined): Check {
  return (value, keep) => {
    const read = check(value, keep);
    const wrong = read instanceof Wrong ? undefined : rule(read);
    return wrong === undefined ? read : new Wrong(wrong);
  };
}

/** A value that many objects have in common, and that is there once. */
export function shared(check: Check): Check {
  return (value, keep) => {
    const before = keep?.bytes ?? 0;
    const read = check(value, keep);
    return keep === undefined || read instanceof Wrong ? read : keep.once(read, before);
  };
}
