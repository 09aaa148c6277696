import { printable } from "../../kubernetes/objects/printable.ts";

export { count } from "../../message.ts";

/** Pulumi cuts lines of a diff after 150 characters, and a line has to hold two of these texts. */
const longest = 66;

/**
 * A value as a terminal may show it: an annotation can hold a whole manifest, which no preview should,
 * and characters that a terminal obeys.
 */
export function shortened(text: string): string {
  // A list may be somewhat longer, because it ends with the number of the others.
  return text.length <= longest + 20
    ? printable(text)
    : `${printable(text.slice(0, longest))}… (${String(text.length)} characters)`;
}

/** Lists as many entries as fit on a line, and the number of the others. */
export function listed(texts: readonly string[]): string {
  let length = -2;
  const end = texts.findIndex((text) => (length += text.length + 2) > longest);
  const shown = end < 0 ? texts : texts.slice(0, Math.max(end, 1));
  const more = texts.length - shown.length;
  return more === 0 ? shown.join(", ") : `${shown.join(", ")} and ${String(more)} more`;
}
