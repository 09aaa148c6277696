/** Pulumi cuts a line of a diff after 150 characters, and it has to hold two of these. */
const longest = 66;

/** A value as it is shown: an annotation can hold a whole manifest, which no preview should. */
export function shortened(text: string): string {
  return text.length <= longest
    ? text
    : `${text.slice(0, longest)}… (${String(text.length)} characters)`;
}

export function count(number: number, noun: string): string {
  return `${String(number)} ${noun}${number === 1 ? "" : "s"}`;
}
