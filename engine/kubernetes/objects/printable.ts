/**
 * Makes a cluster's text safe for a terminal: cut, on one line, and without characters that move the cursor or change
 * the direction of the text.
 */
export function printable(text: string, longest = 2_000): string {
  const cut = text.length <= longest ? text : `${text.slice(0, longest)}…`;
  return cut.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "?");
}
