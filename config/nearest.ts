import leven from "leven";

/**
 * Known word that was most likely meant, or undefined when none is near: at most a third of its
 * letters may differ, or two that are swapped in a short word. Upper case, `-` and `_` do not count,
 * as they are matters of habit.
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
