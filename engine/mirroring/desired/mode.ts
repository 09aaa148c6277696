import type { LabelSelector, LinkSpec } from "../model/link.ts";
import type { Service } from "../../kubernetes/objects.ts";
import { label } from "../model/vocabulary.ts";
import { selects } from "./selector.ts";

export type ExportMode = "gateway" | "discovery";

/** How a link mirrors a Service, if at all: remote discovery wins (linkerd-behaviour.md 2.1). */
export function exportMode(service: Service, link: LinkSpec): ExportMode | undefined {
  const { labels } = service.metadata;
  if (selects(link.remoteDiscoverySelector, labels)) return "discovery";
  if (selects(link.selector, labels)) return "gateway";
  return undefined;
}

/**
 * The sentence for a Service that asks to be exported in a way no link of the stack listens to;
 * `false` asks for nothing, and a mirror's labels are not a request.
 *
 * @param elsewhere selectors by which other links of the stack mirror from the same cluster
 */
export function unheardExport(
  service: Service,
  link: LinkSpec,
  elsewhere: readonly LabelSelector[] = [],
): string | undefined {
  const { labels = {} } = service.metadata;
  const value = labels[label.exported];
  if (value === undefined || value === "false" || labels[label.mirrored] === "true")
    return undefined;
  if (elsewhere.some((selector) => selects(selector, labels))) return undefined;
  return value === "true" && link.gateway === false
    ? `it is labelled ${label.exported}=true and this link has no gateway: label it remote-discovery, or give the link a gateway`
    : `it is labelled ${label.exported}=${value}, which this link's selectors do not select`;
}
