import type { LinkSpec } from "../model/link.ts";
import type { Service } from "../../kubernetes/objects.ts";
import { selects } from "./selector.ts";

export type ExportMode = "gateway" | "discovery";

/** How a link mirrors a Service, if at all: remote discovery wins (linkerd-behaviour.md 2.1). */
export function exportMode(service: Service, link: LinkSpec): ExportMode | undefined {
  const { labels } = service.metadata;
  if (selects(link.remoteDiscoverySelector, labels)) return "discovery";
  if (selects(link.selector, labels)) return "gateway";
  return undefined;
}
