import type { LabelSelector, SelectorRequirement } from "./link.ts";
import type { StringMap } from "../../kubernetes/objects/objects.ts";

/**
 * Whether a label selector matches. As in Linkerd, a selector without a term matches nothing
 * (linkerd-behaviour.md 2.1; in Kubernetes itself it would match everything).
 */
export function selects(selector: LabelSelector, labels: StringMap = {}): boolean {
  const equal = Object.entries(selector.matchLabels ?? {});
  const expressions = selector.matchExpressions ?? [];
  if (equal.length + expressions.length === 0) return false;
  return (
    equal.every(([key, value]) => valueOf(labels, key) === value) &&
    expressions.every((requirement) => meets(requirement, labels))
  );
}

/** A label may be called what every object inherits, like `constructor`. */
function valueOf(labels: StringMap, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

/** Kubernetes' reading of a requirement: `NotIn` also matches where the key is absent. */
function meets({ key, operator, values = [] }: SelectorRequirement, labels: StringMap): boolean {
  const value = valueOf(labels, key);
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
  }
}
