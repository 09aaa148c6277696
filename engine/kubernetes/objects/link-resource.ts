import { list, map, type Of, text } from "./checks.ts";
import { anyText, object } from "./objects.ts";

const reference = map({ group: anyText, kind: anyText, name: anyText, namespace: anyText }, [
  "name",
  "namespace",
]);

const conditionStatus = text(
  "True, False or Unknown",
  (value): value is "True" | "False" | "Unknown" => ["True", "False", "Unknown"].includes(value),
);

const condition = map(
  {
    type: anyText,
    status: conditionStatus,
    reason: anyText,
    message: anyText,
    lastTransitionTime: anyText,
    localRef: reference,
  },
  ["type", "status", "reason", "message", "lastTransitionTime"],
  "kept",
);

const serviceStatus = map(
  { controllerName: anyText, remoteRef: reference, conditions: list(condition) },
  ["controllerName", "remoteRef"],
  "kept",
);

const status = map({
  mirrorServices: list(serviceStatus),
  federatedServices: list(serviceStatus),
});

/**
 * The Link resource, v1alpha3, as far as this program reads it, and writes its status (linkerd-behaviour.md 1.3). No
 * check here is stricter than the schema of the resource, as one Link that fails it makes its cluster unreadable.
 */
export const link = object({
  spec: map({
    targetClusterName: anyText,
    targetClusterDomain: anyText,
    targetClusterLinkerdNamespace: anyText,
    clusterCredentialsSecret: anyText,
    gatewayAddress: anyText,
    gatewayPort: anyText,
    gatewayIdentity: anyText,
  }),
  status,
});

export type ServiceReference = Of<typeof reference>;
export type Condition = Of<typeof condition>;
export type ServiceStatus = Of<typeof serviceStatus>;
export type LinkStatus = Of<typeof status>;
export type LinkResource = Of<typeof link>;
