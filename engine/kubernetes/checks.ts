import { isRecord } from "./failure.ts";

/**
 * What of a value is wrong, as the end of a sentence that begins with what the value is called:
 * ` is not a list`, `.ports has an item that is not a map`. Never quotes the value. Undefined: nothing is wrong.
 */
export type Check = (value: unknown) => string | undefined;

/** Text for which the rule holds; `words` completes "is not". */
export function text(words: string, isRight: (text: string) => boolean = () => true): Check {
  const wrong = ` is not ${words}`;
  return (value) => (typeof value === "string" && isRight(value) ? undefined : wrong);
}

export function wholeNumber(least: number, most: number): Check {
  const wrong = ` is not a whole number from ${least} to ${most}`;
  return (value) =>
    typeof value === "number" && Number.isInteger(value) && value >= least && value <= most
      ? undefined
      : wrong;
}

export const flag: Check = (value) => (typeof value === "boolean" ? undefined : " is not a flag");

export function either(one: Check, other: Check): Check {
  return (value) => {
    const wrong = one(value);
    return wrong === undefined ? undefined : other(value) && wrong;
  };
}

/**
 * A map of which these fields have to be as said. A field that is null is taken out of it, since Go
 * writes null for what is absent; a field that must be there is given in `required`.
 */
export function map(
  fields: Readonly<Record<string, Check>>,
  required: readonly string[] = [],
): Check {
  const checks = Object.entries(fields);
  return (value) => {
    if (!isRecord(value)) return " is not a map";
    for (const [name, check] of checks) {
      const field = value[name];
      if (field === undefined) continue;
      if (field === null) {
        Reflect.deleteProperty(value, name);
        continue;
      }
      const wrong = check(field);
      if (wrong !== undefined) return `.${name}${wrong}`;
    }
    const missing = required.find((name) => value[name] === undefined);
    return missing === undefined ? undefined : `.${missing} is missing`;
  };
}

export function list(item: Check, most = Infinity): Check {
  return (value) => {
    if (!Array.isArray(value)) return " is not a list";
    if (value.length > most) return ` has more than ${most} items`;
    for (const each of value) {
      const wrong = item(each);
      if (wrong !== undefined) return `[]${wrong}`;
    }
    return undefined;
  };
}

/** A map of text to text, at most `most` characters in all. */
export function texts(
  isKey: (key: string) => boolean = () => true,
  isValue: (text: string) => boolean = () => true,
  most = Infinity,
): Check {
  return (value) => {
    if (!isRecord(value)) return " is not a map";
    let length = 0;
    for (const key in value) {
      const text = value[key];
      if (!isKey(key)) return " has a key that Kubernetes does not allow";
      if (typeof text !== "string") return " has a value that is not text";
      if (!isValue(text)) return " has a value that Kubernetes does not allow";
      length += key.length + text.length;
    }
    return length > most ? ` is longer than ${most} characters` : undefined;
  };
}

/** Both have to hold. */
export function both(one: Check, other: Check): Check {
  return (value) => one(value) ?? other(value);
}
