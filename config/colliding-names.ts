import type { MeshConfig } from "./mesh.ts";

/**
 * A sentence for each two targets of one source whose mirrors can come to have the same name: `web-eu`
 * of cluster `west` and `web` of cluster `eu-west` would both be `web-eu-west`. No mistake, since it
 * takes Services of just these names; but the one mirrored first then keeps the other out, which who
 * exports it may do on purpose.
 */
export function collidingNames({ links }: Pick<MeshConfig, "links">): string[] {
  const sources = new Map<string, string[]>();
  for (const { source, target } of links.map(({ spec }) => spec))
    sources.set(source, [...(sources.get(source) ?? []), target]);
  const pairs = new Map<string, { readonly shorter: string; readonly longer: string }>();
  for (const targets of sources.values())
    for (const longer of targets)
      for (const shorter of targets)
        if (longer.endsWith(`-${shorter}`)) pairs.set(`${shorter}/${longer}`, { shorter, longer });
  return [...pairs.values()].map(({ shorter, longer }) => {
    const between = longer.slice(0, -`-${shorter}`.length);
    return `the mirrors of clusters ${shorter} and ${longer} can have the same name: a Service web-${between} of ${shorter} and a Service web of ${longer} would both be web-${longer}, and only the one that is mirrored first would be; rename one of the clusters, or let no Service of ${shorter} end in -${between}`;
  });
}
