import { bounds } from "../objects/bounds.ts";

/**
 * Decides about a text that may quote a credential, since whoever wrote it was sent one: it is shown as it is, or not
 * at all. A part of it is never shown, as nobody knows in which form the rest quotes what.
 */
export type Redact = (text: string) => string;

/** The words in the place of a text that is not shown. */
export const hidden = "[not shown, as it quotes a credential]";

/** Letters and digits in a row that betray a credential; its forms in base64 and hex are longer. */
const telling = { plain: 6, base64: 8, hex: 12 };

/** @param sent the credentials that requests are sent with; blank ones mean nothing */
export function redactor(sent: readonly string[]): Redact {
  let traces: Traces | undefined;
  return (text) => {
    const shown = cut(text);
    // Made for the first text, as most sessions never see one, and a token has thousands of traces.
    return quotes(shown, (traces ??= tracesOf(sent))) ? hidden : withoutUserPart(shown);
  };
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

/** Without the word in the middle of which it is cut, as that may be what is left of a credential. */
function cut(text: string): string {
  if (text.length <= bounds.said.most) return text;
  const start = text.slice(0, bounds.said.most);
  return `${start.slice(0, start.lastIndexOf(" ") + 1)}…`;
}

interface Traces {
  /** Credentials too short to be told from a part of a word. */
  readonly exact: readonly string[];
  /** Parts of the others' letters and digits, by their length. */
  readonly parts: ReadonlyMap<number, ReadonlySet<string>>;
}

function tracesOf(sent: readonly string[]): Traces {
  const credentials = sent.map((one) => one.trim()).filter((one) => one !== "");
  const parts = new Map<number, Set<string>>();
  for (const [length, form] of credentials.flatMap(formsOf)) {
    const some = parts.get(length) ?? new Set();
    parts.set(length, some);
    for (let at = 0; at + length <= form.length; at++) some.add(form.slice(at, at + length));
  }
  return { exact: credentials.filter((one) => letters(one).length < telling.plain), parts };
}

/** A credential as it may be quoted, and how much of each form betrays it. */
function formsOf(credential: string): (readonly [length: number, form: string])[] {
  const base64 = [0, 1, 2].map((before) => [telling.base64, encoded(credential, before)] as const);
  const hex = Buffer.from(credential).toString("hex");
  return [[telling.plain, credential] as const, [telling.hex, hex] as const, ...base64]
    .map(([length, form]) => [length, letters(form)] as const)
    .filter(([, form]) => form.length >= telling.plain)
    .map(([length, form]) => [Math.min(length, form.length), form]);
}

/** The characters of base64 that the credential alone decides, `before` bytes into three that are encoded. */
function encoded(credential: string, before: number): string {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(credential)]);
  const end = Math.floor((bytes.length * 8) / 6);
  return bytes.toString("base64").slice(before === 0 ? 0 : before + 1, end);
}

const escape = /(?:%(?:25)*|(?<!\\)\\+(?:u00|x)|&#x?)([\da-f]{2,3})/gi;

function quotes(text: string, { exact, parts }: Traces): boolean {
  if (exact.some((one) => text.includes(one))) return true;
  // Of what is escaped in part the rest betrays it; of what is escaped in full, the numbers are its hex.
  const readings = [text, text.replaceAll(escape, ""), text.replaceAll(escape, "$1")].map(letters);
  return readings.some((reading) =>
    [...parts].some(([length, some]) => {
      for (let at = 0; at + length <= reading.length; at++)
        if (some.has(reading.slice(at, at + length))) return true;
      return false;
    }),
  );
}

/** The characters that are compared, so that neither blanks and quotes nor the case can hide anything. */
function letters(text: string): string {
  return text.replaceAll(/[^a-z0-9]/gi, "").toLowerCase();
}
