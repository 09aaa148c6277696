/** The fields that are there: an optional field is absent, and never undefined. */
export function defined<T extends object>(
  fields: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const there = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(there) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
