/**
 * Text of a cluster as a terminal may show it: on one line, without the control and format
 * characters by which it could move the cursor or turn the direction of what follows, and cut.
 */
export function plain(text: string, longest = 2_000): string {
  const cut = text.length <= longest ? text : `${text.slice(0, longest)}…`;
  return cut.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "?");
}
