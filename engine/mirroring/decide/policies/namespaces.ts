import type { LinkSpec } from "../../model/link.ts";

/** Why a link leaves out the Services of a namespace; undefined where it does not. */
export function leftOut(namespace: string, link: LinkSpec): string | undefined {
  const { source, target, namespaces, excludedNamespaces } = link;
  const isNamed = (pattern: string) =>
    pattern.endsWith("*") ? namespace.startsWith(pattern.slice(0, -1)) : namespace === pattern;
  const excluded = excludedNamespaces.find(isNamed);
  if (excluded !== undefined) {
    const pattern = excluded === namespace ? "" : `, as ${excluded}`;
    return `excludedNamespaces of link ${source}/${target} names ${namespace}${pattern}: remove the Service's label, or set excludedNamespaces without that`;
  }
  return namespaces.some(isNamed)
    ? undefined
    : `namespaces of link ${source}/${target} does not name ${namespace}: remove the Service's label, or add the namespace there`;
}
