import { isDeepStrictEqual } from "node:util";
import type { LabelSelector, LinkSpec } from "./link.ts";

/** What the stack's links into other clusters mirror from targets of the links into this one. */
export interface SelectedElsewhere {
  readonly selector: LabelSelector;
  readonly targets: readonly string[];
}

/**
 * The selectors of other links to the same targets, as far as the links themselves do not have them:
 * nothing in a mesh of equal links, and one entry for all targets in a mesh of two kinds.
 *
 * @param own the links into one cluster
 * @param all the stack's links
 */
export function selectedElsewhere(
  own: readonly LinkSpec[],
  all: readonly LinkSpec[],
): readonly SelectedElsewhere[] {
  const byTarget = new Map<string, Set<LabelSelector>>();
  for (const link of all) {
    const selectors = byTarget.get(link.target) ?? new Set();
    byTarget.set(link.target, selectors);
    for (const selector of selectorsOf(link)) selectors.add(selector);
  }
  const found: { readonly selector: LabelSelector; readonly targets: string[] }[] = [];
  for (const link of own) {
    const seen = selectorsOf(link);
    for (const selector of byTarget.get(link.target) ?? []) {
      if (seen.some((other) => isDeepStrictEqual(other, selector))) continue;
      seen.push(selector);
      const entry = found.find((other) => isDeepStrictEqual(other.selector, selector));
      if (entry === undefined) found.push({ selector, targets: [link.target] });
      else entry.targets.push(link.target);
    }
  }
  return found;
}

/** By which a link makes mirrors; without a gateway there are no gateway mirrors. */
function selectorsOf({ gateway, selector, remoteDiscoverySelector }: LinkSpec): LabelSelector[] {
  return [...(gateway === false ? [] : [selector]), remoteDiscoverySelector];
}
