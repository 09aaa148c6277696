import { bounds } from "../objects/bounds.ts";

/**
 * Decides about a text that may quote a credential, since whoever wrote it was sent one: it is shown as it is, or not
 * at all. A part of it is never shown, as nobody knows in which form the rest quotes what.
 */
export type Redact = (text: string) => string;

/** The words in the place of a text that is not shown. */
export const hidden = "[not shown, as it quotes a credential]";

/** Letters and digits in a row that betray a credential, as it is and as it is in base64 or hex. */
const telling = { plain: 6, encoded: 8 };

/** @param sent the credentials that requests are sent with; blank ones mean nothing */
export function redactor(sent: readonly string[]): Redact {
  const credentials = sent.map((one) => one.trim()).filter((one) => one !== "");
  /** Too short to be told from a part of a word. */
  const short = credentials.filter((one) => letters(one).length < telling.plain);
  let traces: ReadonlySet<string> | undefined;
  return (text) => {
    const shown = cut(text);
    // Made for the first text, as most sessions never see one, and a token has thousands of traces.
    traces ??= new Set(credentials.flatMap(tracesOf));
    const isQuoted = short.some((one) => shown.includes(one)) || quotes(shown, traces);
    return isQuoted ? hidden : withoutUserPart(shown);
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

/** The parts of a credential that betray it, in each form in which it may be quoted. */
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

/** The characters of base64 that the credential alone decides, `before` bytes into three that are encoded. */
function base64(credential: string, before: number): string {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(credential)]);
  const end = Math.floor((bytes.length * 8) / 6);
  return bytes.toString("base64").slice(before === 0 ? 0 : before + 1, end);
}

const escape = /(?:%(?:25)*|(?<!\\)\\+(?:u00|x)|&#x?)([\da-f]{2,3})/gi;

function quotes(text: string, traces: ReadonlySet<string>): boolean {
  // Of what is escaped in part the rest betrays it; of what is escaped in full, the numbers are its hex.
  const readings = [text, text.replaceAll(escape, ""), text.replaceAll(escape, "$1")].map(letters);
  return readings.some((reading) =>
    Object.values(telling).some((length) =>
      partsOf(reading, length).some((part) => traces.has(part)),
    ),
  );
}

/** All parts of a text that have this length. */
function partsOf(text: string, length: number): string[] {
  const count = Math.max(0, text.length - length + 1);
  return Array.from({ length: count }, (_, at) => text.slice(at, at + length));
}

/** The characters that are compared, so that neither blanks and quotes nor the case can hide anything. */
function letters(text: string): string {
  return text.replaceAll(/[^a-z0-9]/gi, "").toLowerCase();
}
