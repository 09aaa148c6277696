import { groupIn, groupOf, indexIn, routeName } from "./objects.ts";
import type { Admissions } from "./wanted.ts";

/** The CRD of an HTTPRoute allows no more. */
const most = 16;

/**
 * Returns the hostnames of each route. A hostname stays in its route for as long as its clients are the same, and a new one
 * takes a place that was free before, so one more export changes one route, and none loses a name in the write that gives
 * it another.
 */
export function packed(
  effective: Admissions,
  live: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, readonly string[]> {
  const groups = new Map([...effective].map(([host, all]) => [host, groupOf(all)] as const));
  const result = new Map<string, string[]>();
  const free = new Map<string, number>();
  const placed = new Set<string>();
  const sorted = [...live].sort(([a], [b]) => indexIn(a) - indexIn(b));
  for (const [route, hosts] of sorted) {
    const kept = hosts.filter((host) => !placed.has(host) && groups.get(host) === groupIn(route));
    for (const host of kept) placed.add(host);
    result.set(route, kept);
    free.set(route, most - hosts.length);
  }
  const open = Map.groupBy([...free.keys()], groupIn);
  for (const host of [...groups.keys()].sort()) {
    if (placed.has(host)) continue;
    const group = groups.get(host) ?? "";
    const routes = open.get(group) ?? [];
    open.set(group, routes);
    let route = routes.find((name) => (free.get(name) ?? 0) > 0);
    if (route === undefined) {
      const taken = new Set(routes);
      let index = 0;
      while (taken.has(routeName(group, index))) index += 1;
      route = routeName(group, index);
      routes.push(route);
      free.set(route, most);
      result.set(route, []);
    }
    free.set(route, (free.get(route) ?? 0) - 1);
    result.get(route)?.push(host);
  }
  return new Map([...result].filter(([, hosts]) => hosts.length > 0));
}
