/** Separates thousands of a whole number, as in `12,000`. Node's own way loads the rules of a language, in every process. */
export function inDigits(number: number): string {
  const digits = String(number);
  if (number < 1_000) return digits;
  return `${inDigits(Math.floor(number / 1_000))},${digits.slice(-3)}`;
}

export function inMiB(bytes: number): string {
  return `${Math.round((bytes * 10) / 2 ** 20) / 10} MiB`;
}

export function count(number: number, noun: string): string {
  return `${inDigits(number)} ${noun}${number === 1 ? "" : "s"}`;
}

/** Returns the first texts, and one that counts the others. */
export function firstOf(texts: readonly string[], most = 10): string[] {
  const more = texts.length - most;
  return more > 0 ? [...texts.slice(0, most), `and ${inDigits(more)} more`] : [...texts];
}

/** Lists the first names, and counts the others. */
export function listed(names: readonly string[], most = 10): string {
  const more = names.length - most;
  return names.slice(0, most).join(", ") + (more > 0 ? ` and ${inDigits(more)} more` : "");
}
