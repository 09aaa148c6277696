/** What an error says, for sentences that people read without its stack. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
