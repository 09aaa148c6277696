import type { Kind } from "../kinds.ts";
import type { Stored } from "../objects.ts";
import type { Objection } from "../refusals.ts";
import { completedEndpoints, endpointsObjections } from "./endpoints.ts";
import { linkObjections } from "./link.ts";
import { metadataObjections } from "./metadata.ts";
import { allocated, type Allocator, defaulted, serviceObjections } from "./service.ts";

/** The object with what the API server fills in, but for what is to be allocated. */
export function completed(object: Stored, before: Stored | undefined): Stored {
  switch (object.kind) {
    case "Service":
      return defaulted({ ...object, status: object.status ?? { loadBalancer: {} } }, before);
    case "Endpoints":
      return completedEndpoints(object);
    case "Secret":
      return { type: "Opaque", ...object };
    case "Namespace":
      return completedNamespace(object);
    default:
      return object;
  }
}

function completedNamespace(namespace: Stored): Stored {
  const { metadata } = namespace;
  const labels = { ...metadata.labels, "kubernetes.io/metadata.name": metadata.name };
  return {
    ...{ spec: { finalizers: ["kubernetes"] }, status: { phase: "Active" }, ...namespace },
    metadata: { ...metadata, labels },
  };
}

/** What Kubernetes' validation has against an object; nothing where it takes it. */
export function* objections(
  kind: Kind,
  object: Stored,
  before: Stored | undefined,
  allocator: Allocator,
): Generator<Objection> {
  yield* metadataObjections(kind, object);
  if (kind.kind === "Service") yield* serviceObjections(object, before, allocator);
  if (kind.kind === "Endpoints") yield* endpointsObjections(object);
  if (kind.kind === "Link") yield* linkObjections(object);
}

/** With what the server chooses for an object that it takes. */
export function withAllocations(object: Stored, allocator: Allocator): Stored {
  return object.kind === "Service" ? allocated(object, allocator) : object;
}
