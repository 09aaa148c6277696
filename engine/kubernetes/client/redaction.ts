import { bounds } from "../objects/bounds.ts";

/** A text that quotes a credential is not shown at all, because any part of it could quote it in some form. */
export type Redact = (text: string) => string;

export const hidden = "[not shown, as it quotes a credential]";

/** So many letters and digits in a row count as a quoted credential, plain and in base64 or hex. */
const telling = { plain: 6, encoded: 8 };

/** @param sent the credentials of requests; blank ones are ignored */
export function redactor(sent: readonly string[]): Redact {
  const credentials = sent.map((one) => one.trim()).filter((one) => one !== "");
  // These are too short to distinguish from parts of words.
  const short = credentials.filter((one) => letters(one).length < telling.plain);
  let traces: ReadonlySet<string> | undefined;
  return (text) => {
    const shown = cut(text);
    // Most sessions never see such a text, and a token has thousands of traces.
    traces ??= new Set(credentials.flatMap(tracesOf));
    const isQuoted = short.some((one) => shown.includes(one)) || quotes(shown, traces);
    return isQuoted ? hidden : withoutUserPart(shown);
  };
}

/** Matches the start of a URL, and also those that only lenient parsers accept. */
const urlStart = /\b(?:https?|wss?|ftp|socks\w{0,2}|oci):[\\/]*|\/\//i;

/** Replaces the user name and password in each URL of a text by `…`. */
export function withoutUserPart(text: string): string {
  if (!text.includes("@")) return text;
  return text.replaceAll(/[^\s"'<>]+/g, (word) => {
    const start = urlStart.exec(word);
    const from = start === null ? Infinity : start.index + start[0].length;
    const to = word.lastIndexOf("@");
    return from > to ? word : `${word.slice(0, from)}…${word.slice(to)}`;
  });
}

/** Cuts a text before a word, since half a word may be half a credential. */
function cut(text: string): string {
  if (text.length <= bounds.said.most) return text;
  const start = text.slice(0, bounds.said.most);
  return `${start.slice(0, start.lastIndexOf(" ") + 1)}…`;
}

/** Returns the parts that betray a credential, in each form in which a text may quote it. */
function tracesOf(credential: string): string[] {
  const hex = Buffer.from(credential).toString("hex");
  const encoded = [hex, ...[0, 1, 2].map((before) => base64(credential, before))].map(letters);
  return [
    ...partsOf(letters(credential), telling.plain),
    ...encoded.flatMap((form) =>
      partsOf(form, form.length < telling.encoded ? telling.plain : telling.encoded),
    ),
  ];
}

/** The credential begins `before` bytes into a group of three. Characters that its neighbours decide are left out. */
function base64(credential: string, before: number): string {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(credential)]);
  const end = Math.floor((bytes.length * 8) / 6);
  return bytes.toString("base64").slice(before === 0 ? 0 : before + 1, end);
}

const escape = /(?:%(?:25)*|(?<!\\)\\+(?:u00|x)|&#x?)([\da-f]{2,3})/gi;

function quotes(text: string, traces: ReadonlySet<string>): boolean {
  // The unescaped rest betrays a text that is escaped in part, and the numbers one that is escaped in full.
  const readings = [text, text.replaceAll(escape, ""), text.replaceAll(escape, "$1")].map(letters);
  return readings.some((reading) =>
    Object.values(telling).some((length) =>
      partsOf(reading, length).some((part) => traces.has(part)),
    ),
  );
}

function partsOf(text: string, length: number): string[] {
  const count = Math.max(0, text.length - length + 1);
  return Array.from({ length: count }, (_, at) => text.slice(at, at + length));
}

/** Neither blanks and quotes nor the case can hide a credential. */
function letters(text: string): string {
  return text.replaceAll(/[^a-z0-9]/gi, "").toLowerCase();
}
