import leven from "leven";
import type { core } from "zod";
import { withoutUserPart } from "@linkerd-multicluster/engine/kubernetes";
import { chart } from "../keys/chart-keys.ts";
import { cluster, sections, stack } from "../keys/keys.ts";
import type { Keys, Section } from "../keys/schema.ts";

export type Path = readonly PropertyKey[];

export const project = "linkerd-multicluster";

const longestQuote = 60;

/** Formats a key path as `pulumi config set --path` takes it: `linkerd-multicluster:links[2].source`. */
export function where(path: Path): string {
  const [first, ...rest] = path;
  if (first === undefined) return project;
  const steps = rest.map((step) => {
    if (typeof step === "number") return `[${step}]`;
    const key = String(step);
    return isPlain(key) ? `.${key}` : `[${quoted(key)}]`;
  });
  const key = String(first);
  return `${project}:${isPlain(key) ? key : quoted(key)}${steps.join("")}`;
}

function isPlain(key: string): boolean {
  return /^[A-Za-z_][-\w]*$/.test(key) && key.length <= longestQuote;
}

export function sentence(path: Path, state: string, rule: string): string {
  return `${where(path)} ${state}; ${rule}.`;
}

export function mustBe(path: Path, state: string, rule: string): string {
  return sentence(path, state, `it must be ${rule}`);
}

export function wrongValue(path: Path, value: unknown, rule: string): string {
  return mustBe(path, `is ${shown(value, path)}`, rule);
}

/** The reason follows "left out". */
export function mustBeLeftOut(path: Path, why: string): string {
  return mustBe(path, "is set", `left out${why}`);
}

export function repeated(path: Path, entry: string, first: Path, rule: string): string {
  return sentence(path, `${entry} again, after ${where(first)}`, rule);
}

/** Describes a value in words that fit after "is", never the content of a map or a list. */
export function shown(value: unknown, path: Path = []): string {
  if (value === undefined) return "missing";
  if (value === null) return "empty";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value === "object") return Object.keys(value).length === 0 ? "an empty map" : "a map";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value !== "string") return `a ${typeof value}`;
  if (isConfidential(path)) return `a string of ${value.length} characters`;
  return quoted(value);
}

function isConfidential([first, , third]: Path): boolean {
  return (
    isMarked(stack.keys, first) ||
    (first === "clusters" && isMarked(cluster.keys, third)) ||
    (first === "charts" && isMarked(chart.keys, third))
  );
}

function isMarked(keys: Keys, name: PropertyKey | undefined): boolean {
  return typeof name === "string" && Object.hasOwn(keys, name) && keys[name]?.confidential === true;
}

/** Quotes a text, shortened and without credentials if it is meant as a URL. */
export function quoted(text: string): string {
  const withoutCredentials = withoutUserPart(text)
    .replace(/^([^@:\s]*:(?!\/)).*@/s, "$1…@")
    .replace(/^(\w+:\/.*?[?#]).*/s, "$1…");
  const cut = withoutCredentials.slice(0, longestQuote);
  const quote = JSON.stringify(cut === withoutCredentials ? cut : `${cut}…`);
  // JSON doesn't escape characters that reverse the direction of text or are invisible.
  return quote.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, escaped);
}

function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

function unknownKey(path: Path, key: string, { noun, keys }: Section): string {
  const known = Object.keys(keys);
  const near = nearest(key, known);
  const rule =
    near === undefined ? `the keys are ${known.join(", ")}` : `the nearest key is ${near}`;
  return sentence([...path, key], `is not a key of ${noun}`, rule);
}

/**
 * Returns the known word that was most likely meant; undefined if none is near. At most a third of its letters may
 * differ, or two that are swapped in a short word. Upper case, `-` and `_` are ignored.
 */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[-_]/g, "");
  const ranked = known
    .map((candidate) => ({ candidate, distance: leven(plain(word), plain(candidate)) }))
    .filter(({ candidate: { length }, distance }) => {
      return distance <= Math.max(Math.min(2, length / 2), length / 3);
    })
    .toSorted((a, b) => a.distance - b.distance);
  return ranked[0]?.candidate;
}

/**
 * Renders zod's findings as sentences. The message of every check completes "it must be", and that of a map's unknown
 * keys is the noun of the map's section (schema.ts).
 */
export function sentences(issue: core.$ZodIssue, base: Path): string[] {
  const path = [...base, ...issue.path];
  const { message } = issue;
  switch (issue.code) {
    case "unrecognized_keys": {
      const section = Object.values(sections).find(({ noun }) => noun === message);
      return issue.keys.flatMap((key) => (section ? unknownKey(path, key, section) : []));
    }
    case "invalid_union": {
      const meant = issue.errors.find((branch) => branch.some(isInside));
      if (meant !== undefined) return meant.flatMap((inner) => sentences(inner, path));
      return [wrongValue(path, issue.input, message)];
    }
    case "invalid_key": {
      const rule = issue.issues[0]?.message ?? message;
      return [mustBe(path, `has the key ${shown(path.at(-1))}`, rule)];
    }
    default:
      return [wrongValue(path, issue.input, message + quoting(issue))];
  }
}

/** A map that fails inside was meant as a map, so its own mistakes help more than "a map or false". */
function isInside(issue: core.$ZodIssue): boolean {
  return issue.path.length > 0 || issue.code === "unrecognized_keys";
}

/** YAML's quotes decide between text and number, so the sentence says how to write the value. */
function quoting(issue: core.$ZodIssue): string {
  if (issue.code !== "invalid_type") return "";
  const { expected, input } = issue;
  if (expected === "string")
    return typeof input === "number" || typeof input === "boolean" ? ", in quotes" : "";
  if (typeof input !== "string") return "";
  if (expected === "boolean") return /^(true|false)$/.test(input) ? ", without quotes" : "";
  return expected === "number" && /^\d+$/.test(input) ? ", without quotes" : "";
}
