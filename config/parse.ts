import { crossChecks } from "./cross-checks.ts";
import { effectiveConfig } from "./defaults.ts";
import type { MeshConfig } from "./mesh.ts";
import { readConfig } from "./read.ts";

export type Parsed = { readonly config: MeshConfig } | { readonly mistakes: readonly string[] };

/**
 * Checks the stack config and fills in its defaults. Pure, and never throws.
 *
 * @param raw the top-level keys of the config (`clusters`, `links`, ... : keys.ts), unchecked.
 * @returns the config; or every mistake in it, each one sentence that names the key path, the value
 *   and what is allowed, never empty: first what is wrong by itself, then what does not go together.
 */
export function parseConfig(raw: unknown): Parsed {
  const mistakes: string[] = [];
  const readings = readConfig(raw, mistakes);
  mistakes.push(...crossChecks(readings));
  return mistakes.length === 0 ? { config: effectiveConfig(readings) } : { mistakes };
}
