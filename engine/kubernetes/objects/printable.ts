/** Cuts a text of a cluster, and replaces what moves the cursor of a terminal or changes the direction of the text. */
export function printable(text: string, longest = 2_000): string {
  const cut = text.length <= longest ? text : `${text.slice(0, longest)}…`;
  return cut.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "?");
}
