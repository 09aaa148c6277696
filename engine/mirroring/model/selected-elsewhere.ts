import { isDeepStrictEqual } from "node:util";
import type { LabelSelector, LinkSpec } from "./link.ts";

/** What other links of the stack take from clusters that a source's links are about. */
export interface SelectedElsewhere {
  readonly selector: LabelSelector;
  /** The clusters that they take it from. */
  readonly targets: readonly string[];
}

/**
 * The selectors of other links to the same targets, as far as the links themselves do not have them:
 * nothing in a mesh of equal links, and one entry for all targets in a mesh of two kinds. Also by
 * what other sources have the source's own Services join federated ones, which join here too.
 *
 * @param own the links into one cluster
 * @param all the stack's links
 */
export function selectedElsewhere(
  own: readonly LinkSpec[],
  all: readonly LinkSpec[],
): readonly SelectedElsewhere[] {
  const byTarget = new Map<string, Set<LabelSelector>>();
  const membersOf = new Map<string, Set<LabelSelector>>();
  for (const link of all) {
    for (const selector of selectorsOf(link)) added(byTarget, link.target, selector);
    added(membersOf, link.target, link.federatedServiceSelector);
  }
  const found: { readonly selector: LabelSelector; readonly targets: string[] }[] = [];
  const tell = (target: string, seen: LabelSelector[], others: Iterable<LabelSelector>) => {
    for (const selector of others) {
      if (seen.some((other) => isDeepStrictEqual(other, selector))) continue;
      seen.push(selector);
      const entry = found.find((other) => isDeepStrictEqual(other.selector, selector));
      if (entry === undefined) found.push({ selector, targets: [target] });
      else entry.targets.push(target);
    }
  };
  for (const link of own) tell(link.target, selectorsOf(link), byTarget.get(link.target) ?? []);
  const joining = own.map(({ federatedServiceSelector }) => federatedServiceSelector);
  for (const source of new Set(own.map((link) => link.source)))
    tell(source, joining, membersOf.get(source) ?? []);
  return found;
}

/** The selectors by which other links take Services of that cluster. */
export function elsewhereIn(
  entries: readonly SelectedElsewhere[],
  cluster: string,
): readonly LabelSelector[] {
  return entries.flatMap(({ selector, targets }) => (targets.includes(cluster) ? [selector] : []));
}

function added<T>(sets: Map<string, Set<T>>, key: string, value: T): void {
  const set = sets.get(key) ?? new Set();
  sets.set(key, set.add(value));
}

/** By which a link takes Services; without a gateway there are no gateway mirrors. */
function selectorsOf({
  gateway,
  selector,
  remoteDiscoverySelector,
  federatedServiceSelector,
}: LinkSpec): LabelSelector[] {
  return [
    ...(gateway === false ? [] : [selector]),
    remoteDiscoverySelector,
    federatedServiceSelector,
  ];
}
