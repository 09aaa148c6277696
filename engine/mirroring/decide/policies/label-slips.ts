import { malformed, type Service } from "../../../kubernetes/objects/objects.ts";
import type { LabelSelector } from "../../model/link.ts";
import { nearest } from "../../model/nearest.ts";
import { takenBy, type TakenLabels } from "../../model/taken-labels.ts";
import { label } from "../../model/vocabulary.ts";
import { selects } from "../../model/selector.ts";

/**
 * Why a Service that these selectors do not select looks as if it was meant to be: a label that they
 * name has a value that no link takes, but that is near one that is taken, as `memeber` is to `member`.
 *
 * @param taken by all links of the stack
 */
export function labelSlips(
  selectors: readonly LabelSelector[],
  taken: TakenLabels,
): (service: Service) => string | undefined {
  const keys = Object.keys(takenBy(selectors));
  return (service) => {
    const { labels = {} } = service.metadata;
    if (service[malformed] !== undefined || labels[label.mirrored] === "true") return undefined;
    if (selectors.some((selector) => selects(selector, labels))) return undefined;
    const slips = keys.flatMap((key) => {
      const { [key]: values = [] } = taken;
      const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
      if (value === undefined || value === "false" || values.includes(value)) return [];
      const meant = nearest(value, values);
      return meant === undefined ? [] : [`${key}=${value}, and links take ${key}=${meant}`];
    });
    if (slips.length === 0) return undefined;
    return `it is labelled ${slips.join("; and ")}: correct the label, or remove it`;
  };
}
