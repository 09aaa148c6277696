/**
 * The known word that was most likely meant, or undefined when none is near: at most a third of its
 * letters may differ, or two that are swapped in a short word. Upper case, `-` and `_` do not count,
 * as they are matters of habit.
 */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[-_]/g, "");
  const ranked = known
    .map((candidate) => ({ candidate, distance: editDistance(plain(word), plain(candidate)) }))
    .filter(({ candidate, distance }) => distance <= tolerance(candidate))
    .toSorted((a, b) => a.distance - b.distance);
  return ranked[0]?.candidate;
}

function tolerance(word: string): number {
  return Math.max(Math.min(2, word.length / 2), word.length / 3);
}

/** Levenshtein: how many letters to insert, delete or replace; no need to count when far apart. */
function editDistance(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > to.length) return Infinity;
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [index, letter] of Array.from(from).entries()) {
    const next = [index + 1];
    for (const [column, other] of Array.from(to).entries()) {
      const replaced = (row[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
