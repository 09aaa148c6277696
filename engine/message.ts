export function count(number: number, noun: string): string {
  return `${String(number)} ${noun}${number === 1 ? "" : "s"}`;
}

/** Lists as many names as a sentence can hold, and the number of the others. */
export function listedNames(names: readonly string[], most = 10): string {
  const more = names.length - most;
  return names.slice(0, most).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** The first lines of a list, and the number of the others. */
export function firstOf(lines: readonly string[], most = 10): readonly string[] {
  const more = lines.length - most;
  return more > 0 ? [...lines.slice(0, most), `and ${more} more`] : lines;
}
