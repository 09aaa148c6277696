import leven from "leven";

/**
 * Returns the known word that was most likely meant; undefined if none is near. At most a third of its letters may
 * differ, or two that are swapped in a short word. Upper case, `-` and `_` are ignored.
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
