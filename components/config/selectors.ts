import type { LabelSelector } from "../../mirror/model/link.ts";
import { label } from "../../mirror/model/vocabulary.ts";

/** Linkerd's own selectors: what `linkerd multicluster link-gen` writes. */
export const linkerdSelectors = {
  selector: { matchLabels: { [label.exported]: "true" } },
  remoteDiscoverySelector: { matchLabels: { [label.exported]: "remote-discovery" } },
  federatedServiceSelector: { matchLabels: { [label.federated]: "member" } },
} as const satisfies Record<string, LabelSelector>;

/** A selector without a single term, which selects nothing. */
export function isEmpty({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean {
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}
