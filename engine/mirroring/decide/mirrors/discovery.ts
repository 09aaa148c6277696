import type { LinkSpec } from "../../model/link.ts";
import type { Mirror } from "../../model/mirror.ts";
import type { Service } from "../../../kubernetes/objects/objects.ts";
import { label } from "../../model/vocabulary.ts";
import { mirrorIdentity } from "./gateway.ts";
import { copiedLabels, ownerLabels } from "../../model/metadata.ts";

/**
 * A mirror for a flat network: its labels tell Linkerd's destination controller which Service of
 * which cluster to watch, so it has no Endpoints (linkerd-behaviour.md 2.6, 5).
 */
export function discoveryMirror(service: Service, link: LinkSpec): Mirror {
  return {
    kind: "discovery",
    ...mirrorIdentity(service, link),
    labels: {
      ...copiedLabels(service, link),
      ...ownerLabels(link.target),
      [label.remoteDiscovery]: link.target,
      [label.remoteService]: service.metadata.name,
    },
  };
}
