import { dispensable, list, map, type Of, text } from "./checks.ts";
import { anyText, dnsLabel, dnsName, object, time } from "./objects.ts";

const reference = map({ group: anyText, kind: anyText, name: dnsName, namespace: dnsLabel }, [
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
    /** One word, by the pattern of the resource's schema. */
    reason: anyText,
    message: anyText,
    /** Whole seconds. */
    lastTransitionTime: time,
    localRef: reference,
  },
  ["type", "status", "reason", "message", "lastTransitionTime"],
);

const serviceStatus = map(
  { controllerName: anyText, remoteRef: reference, conditions: list(condition) },
  ["controllerName", "remoteRef"],
);

const status = map({
  mirrorServices: list(serviceStatus),
  federatedServices: list(serviceStatus),
});

/**
 * The Link resource, v1alpha3, as far as this program reads it, and writes its status (1.3). Nothing but its status is
 * judged by what is in a Link, so neither it nor its list is lost with that.
 */
export const link = object({
  spec: dispensable(
    map({
      targetClusterName: anyText,
      targetClusterDomain: anyText,
      targetClusterLinkerdNamespace: anyText,
      clusterCredentialsSecret: anyText,
      gatewayAddress: anyText,
      gatewayPort: anyText,
      gatewayIdentity: anyText,
    }),
  ),
  status: dispensable(status),
});

export type ServiceReference = Of<typeof reference>;
export type Condition = Of<typeof condition>;
export type ServiceStatus = Of<typeof serviceStatus>;
export type LinkStatus = Of<typeof status>;
export type LinkResource = Of<typeof link>;
