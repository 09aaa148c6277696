/**
 * Text of a cluster as a terminal may show it: cut, on one line, and without characters that move the cursor or turn
 * the direction of what follows.
 */
export function plain(text: string, longest = 2_000): string {
  const cut = text.length <= longest ? text : `${text.slice(0, longest)}…`;
  return cut.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "?");
}

/** The code of what a library threw, as its message may quote what it was given. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}
