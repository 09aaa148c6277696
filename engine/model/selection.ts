import type { LabelSelector, LinkSpec, SelectorRequirement } from "./link.ts";
import type { Service, StringMap } from "../kubernetes/objects/objects.ts";

export type ExportMode = "gateway" | "discovery";

/** Remote discovery wins (linkerd-behaviour.md 2.1). */
export function exportMode(service: Service, link: LinkSpec): ExportMode | undefined {
  if (matchesSelector(service, link.remoteDiscoverySelector, link)) return "discovery";
  if (matchesSelector(service, link.selector, link)) return "gateway";
  return undefined;
}

/** In an excluded namespace, only an explicit label counts as a request, so that a broad selector causes no report. */
export function matchesSelector(
  service: Service,
  selector: LabelSelector,
  link: LinkSpec,
): boolean {
  const { labels, namespace, isHead = false } = service.metadata;
  const isExcluded = () => whyExcluded(namespace, link) !== undefined;
  // A Service whose labels were not kept may be exported, and its mirror stays.
  if (isHead && labels === undefined) return !isExcluded();
  return selects(selector, labels) && !(selects(selector) && isExcluded());
}

export function whyExcluded(namespace: string, link: LinkSpec): string | undefined {
  const { source, target, namespaces, excludedNamespaces } = link;
  const isNamed = (pattern: string) => fits(pattern, namespace);
  const excluded = excludedNamespaces.find(isNamed);
  if (excluded !== undefined) {
    const pattern = excluded === namespace ? "" : `, as ${excluded}`;
    return `excludedNamespaces of link ${source} → ${target} names ${namespace}${pattern}: remove the Service's label, or set excludedNamespaces without that`;
  }
  return namespaces.some(isNamed)
    ? undefined
    : `namespaces of link ${source} → ${target} does not name ${namespace}: remove the Service's label, or add the namespace there`;
}

/** Returns whether the pattern is the name, or a prefix of it followed by `*`. */
export function fits(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

/** As in Linkerd, a selector without a term matches nothing (linkerd-behaviour.md 2.1), unlike in Kubernetes. */
export function selects(selector: LabelSelector, labels: StringMap = {}): boolean {
  const equal = Object.entries(selector.matchLabels ?? {});
  const expressions = selector.matchExpressions ?? [];
  if (equal.length + expressions.length === 0) return false;
  return (
    equal.every(([key, value]) => valueOf(labels, key) === value) &&
    expressions.every((requirement) => meets(requirement, labels))
  );
}

/** A label may have the name of a property that every object inherits, such as `constructor`. */
function valueOf(labels: StringMap, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

/** `NotIn` also matches if the key is absent, as in Kubernetes. */
function meets({ key, operator, values = [] }: SelectorRequirement, labels: StringMap): boolean {
  const value = valueOf(labels, key);
  switch (operator) {
    case "In":
      return values.some((each) => each === value);
    case "NotIn":
      return !values.some((each) => each === value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
  }
}
