import type { HelmValues } from "../../config/mesh.ts";

/**
 * The values with the user's over them, as Helm merges: maps key by key, lists and everything else
 * as a whole. A null of the user's stays, because it takes a default of the chart away.
 */
export function mergeValues(values: HelmValues, users: HelmValues): HelmValues {
  const merged = new Map(Object.entries(values));
  for (const [key, value] of Object.entries(users)) {
    const ours = merged.get(key);
    merged.set(key, isMap(ours) && isMap(value) ? mergeValues(ours, value) : value);
  }
  return Object.fromEntries(merged);
}

function isMap(value: unknown): value is HelmValues {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
