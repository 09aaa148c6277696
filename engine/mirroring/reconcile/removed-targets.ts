import type { Before, Reach } from "./state.ts";

/** Targets of links that the stack has given up, as far as is remembered. */
export function formerTargets(before: Before, { links = [] }: Pick<Reach, "links">): string[] {
  const current = new Set(links.map(({ target }) => target));
  const former = [...(before.links ?? []).map(({ target }) => target), ...(before.retired ?? [])];
  return [...new Set(former)].filter((name) => !current.has(name)).sort();
}

/** State has to know each link whose members are this stack's, so that they can be taken out. */
export function linksDiffer({ links: before = [] }: Before, { links = [] }: Reach): boolean {
  const targets = (list: NonNullable<Reach["links"]>) => list.map(({ target }) => target).sort();
  return targets(before).join() !== targets(links).join();
}
