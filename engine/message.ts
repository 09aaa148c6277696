/** A list of as many names as a sentence can hold, and how many more there are. */
export function listedNames(names: readonly string[], most = 10): string {
  const more = names.length - most;
  return names.slice(0, most).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
