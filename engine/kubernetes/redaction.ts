import { bounds } from "./bounds.ts";

/**
 * The owner of text that may quote a secret: what a server, a proxy or a log in between has made of a
 * request, and values of the config. Nothing of either is shown before it has been through here.
 */
export type Redact = (text: string) => string;

/** What stands in the place of a secret. */
const hidden = "[secret]";

/** Of a secret that is quoted in part, because somebody cut it, this many characters in a row hide it. */
const long = 12;
/** A shorter secret than this is looked for as it is, since it may be part of any word. */
const short = 6;

/** More than anybody is shown. What is behind it is dropped, with the word that it cuts. */
const limit = bounds.said.most;

export interface Secrets {
  /** Credentials: hidden in full and in part. Undefined and blank ones mean nothing. */
  readonly credentials: readonly (string | undefined)[];
  /** What may hold a credential, or a name that messages need: hidden where it is quoted in full. */
  readonly settings?: readonly string[];
}

/**
 * Takes secrets out of texts. They are found as they are and in base64 or base64url (alone or within a
 * longer text that was encoded), hex, percent-encoding, and the escapes of JSON, Go and HTML, whatever
 * the case, and split by blanks, line breaks, quotes or other punctuation.
 */
export function redactor({ credentials, settings = [] }: Secrets): Redact {
  let needles: Needles | undefined;
  // Made for the first text, as most sessions never see one, and a key has thousands of parts.
  return (text) =>
    withoutUserPart(without(cut(text), (needles ??= needlesOf(credentials, settings))));
}

/** The start of a URL, also as parsers take it that ask for no slashes. */
const urlStart = /\b(?:https?|wss?|ftp|socks\w{0,2}|oci):[\\/]*|\/\//i;

/** A text with `…` for the user name and password in each URL that it has. */
export function withoutUserPart(text: string): string {
  if (!text.includes("@")) return text;
  return text.replaceAll(/[^\s"'<>]+/g, (word) => {
    const start = urlStart.exec(word);
    const from = start === null ? Infinity : start.index + start[0].length;
    const to = word.lastIndexOf("@");
    return from > to ? word : `${word.slice(0, from)}…${word.slice(to)}`;
  });
}

function cut(text: string): string {
  if (text.length <= limit) return text;
  const start = text.slice(0, limit);
  return `${start.slice(0, start.lastIndexOf(" ") + 1)}…`;
}

interface Needles {
  /** Looked for as they are, the longest first. */
  readonly exact: readonly string[];
  /** Parts of keys, by their length. */
  readonly parts: ReadonlyMap<number, ReadonlySet<string>>;
}

function needlesOf(
  credentials: readonly (string | undefined)[],
  settings: readonly string[],
): Needles {
  const parts = new Map<number, Set<string>>();
  const exact = new Set(settings.flatMap(exactForms));
  for (const secret of credentials) {
    if (!secret?.trim()) continue;
    for (const form of exactForms(secret.trim())) exact.add(form);
    if (plainKey(secret).length < short) continue;
    for (const key of keysOf(secret.trim())) {
      const length = Math.min(key.length, long);
      const set = parts.get(length) ?? new Set();
      parts.set(length, set);
      for (let at = 0; at + length <= key.length; at++) set.add(key.slice(at, at + length));
    }
  }
  return { exact: [...exact].toSorted((one, other) => other.length - one.length), parts };
}

function exactForms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [
    ...[secret, bytes.toString("base64"), bytes.toString("base64url"), bytes.toString("hex")],
    ...[encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)],
  ];
}

function keysOf(secret: string): string[] {
  const encoded = [Buffer.from(secret).toString("hex"), ...[0, 1, 2].map((at) => core(secret, at))];
  return [keyOf(secret).text, plainKey(secret), ...encoded.map(plainKey)].filter(
    ({ length }) => length >= short,
  );
}

/** The characters of base64 that the secret alone decides, `before` bytes into three that are encoded. */
function core(secret: string, before: number): string {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
  const end = Math.floor((bytes.length * 8) / 6);
  return bytes.toString("base64").slice(before === 0 ? 0 : before + 1, end);
}

type Span = readonly [start: number, end: number];

function without(text: string, { exact, parts }: Needles): string {
  let shown = "";
  let done = 0;
  for (const [start, end] of joined(text, spansIn(text, parts))) {
    shown += text.slice(done, start) + hidden;
    done = end;
  }
  shown += text.slice(done);
  return exact.reduce((rest, form) => rest.replaceAll(form, hidden), shown);
}

function spansIn(text: string, parts: Needles["parts"]): Span[] {
  const { text: key, starts, ends } = keyOf(text);
  return starts.flatMap((start, at) =>
    [...parts].flatMap(([length, set]): Span[] =>
      set.has(key.slice(at, at + length)) ? [[start, ends[at + length - 1] ?? text.length]] : [],
    ),
  );
}

/** Those that meet as one, and with the ends of words, which hold a part of what was encoded too. */
function joined(text: string, spans: readonly Span[]): Span[] {
  const all: Span[] = [];
  for (const [from, to] of spans) {
    const start =
      from - (/[\w+/-]{0,4}$/.exec(text.slice(Math.max(0, from - 4), from))?.[0].length ?? 0);
    const end = to + (/^[\w+/-]{0,4}={0,2}/.exec(text.slice(to, to + 6))?.[0].length ?? 0);
    const last = all.at(-1);
    if (last !== undefined && start <= last[1])
      all.splice(-1, 1, [Math.min(last[0], start), Math.max(last[1], end)]);
    else all.push([start, end]);
  }
  return all;
}

interface Key {
  readonly text: string;
  /** Where each of its characters starts and ends in the text it is of. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

const escapes =
  /%(?:25)*([0-9a-f]{2})|(?<!\\)\\+(?:u\{?([0-9a-f]{1,6})\}?|x([0-9a-f]{2})|([nrt]))|&#x([0-9a-f]{1,6});|&#(\d{1,7});|(&\w{2,6};)|[a-z0-9]/gi;

/** What of a text is compared: its letters and digits in lower case, with escapes resolved. */
function keyOf(text: string): Key {
  const characters: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  for (const match of text.matchAll(escapes)) {
    const [all, percent, unicode, byte, letter, reference, decimal, entity] = match;
    if (letter !== undefined || entity !== undefined) continue;
    const code = percent ?? unicode ?? byte ?? reference;
    const character = plainKey(
      code === undefined && decimal === undefined
        ? all
        : characterOf(decimal === undefined ? parseInt(code ?? "", 16) : Number(decimal)),
    );
    if (character === "") continue;
    characters.push(character);
    starts.push(match.index);
    ends.push(match.index + all.length);
  }
  return { text: characters.join(""), starts, ends };
}

function characterOf(code: number): string {
  return code < 128 ? String.fromCharCode(code) : "";
}

function plainKey(text: string): string {
  return text.replaceAll(/[^a-z0-9]/gi, "").toLowerCase();
}
