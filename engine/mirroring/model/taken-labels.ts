import type { LabelSelector, LinkSpec } from "./link.ts";

/** The values by which selectors take Services, by label; a label of which any value will do is left out. */
export type TakenLabels = Readonly<Record<string, readonly string[]>>;

/** What links take Services by, whatever for. */
export function takenLabels(links: readonly LinkSpec[]): TakenLabels {
  return takenBy(
    links.flatMap((link) => [...exportSelectors(link), link.federatedServiceSelector]),
  );
}

/** By which a link mirrors; without a gateway there are no gateway mirrors. */
export function exportSelectors(link: LinkSpec): LabelSelector[] {
  const { gateway, selector, remoteDiscoverySelector } = link;
  return gateway === false ? [remoteDiscoverySelector] : [selector, remoteDiscoverySelector];
}

export function takenBy(selectors: readonly LabelSelector[]): TakenLabels {
  const taken = new Map<string, Set<string>>();
  const open = new Set<string>();
  for (const { matchLabels = {}, matchExpressions = [] } of selectors) {
    const equal = Object.entries(matchLabels).map(([key, value]) => ({ key, values: [value] }));
    const within = matchExpressions.filter(({ operator }) => operator === "In");
    for (const { key, values = [] } of [...equal, ...within])
      taken.set(key, new Set([...(taken.get(key) ?? []), ...values]));
    for (const { key, operator } of matchExpressions) if (operator === "Exists") open.add(key);
  }
  const closed = [...taken].filter(([key]) => !open.has(key)).sort();
  return Object.fromEntries(closed.map(([key, values]) => [key, [...values].sort()]));
}
