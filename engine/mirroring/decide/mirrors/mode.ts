import type { LabelSelector, LinkSpec } from "../../model/link.ts";
import type { Service } from "../../../kubernetes/objects/objects.ts";
import { leftOut } from "../policies/namespaces.ts";
import { selects } from "../../model/selector.ts";

export type ExportMode = "gateway" | "discovery";

/** How a link mirrors a Service, if at all: remote discovery wins (linkerd-behaviour.md 2.1). */
export function exportMode(service: Service, link: LinkSpec): ExportMode | undefined {
  if (asks(service, link.remoteDiscoverySelector, link)) return "discovery";
  if (asks(service, link.selector, link)) return "gateway";
  return undefined;
}

/**
 * Whether a Service asks for what the selector stands for. In a namespace that the link leaves out it
 * has to be a label that asks, so that there is somebody to tell: a selector that would take a Service
 * without any label means the namespaces that are left.
 */
export function asks(service: Service, selector: LabelSelector, link: LinkSpec): boolean {
  const { labels, namespace } = service.metadata;
  return (
    selects(selector, labels) && (leftOut(namespace, link) === undefined || !selects(selector))
  );
}
