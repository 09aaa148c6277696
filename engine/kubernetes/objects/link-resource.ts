import { either, list, map, type Of, text } from "./checks.ts";
import { anyMetadata, anyText, clusterScoped, object } from "./objects.ts";

const reference = map({ group: anyText, kind: anyText, name: anyText, namespace: anyText }, [
  "name",
  "namespace",
]);

const condition = map(
  {
    type: anyText,
    status: text("True, False or Unknown", (value) => /^(True|False|Unknown)$/.test(value)),
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

const trustRoots = map({
  targetClusterFullTrustRoots: anyText,
  targetClusterLocalTrustRoots: anyText,
  targetClusterTrustMetadata: anyMetadata.annotations,
});

const status = map({
  mirrorServices: list(serviceStatus),
  federatedServices: list(serviceStatus),
  // Another version of Linkerd may have other fields of this name.
  trustRoots: either(trustRoots, () => undefined),
});

/** Checks stricter than the schema (linkerd-behaviour.md 1.3) would let one Link make its cluster unreadable. */
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

const type = map({ type: anyText });

/** The CRD of Links, as far as a run asks for it. */
export const linkDefinition = clusterScoped({
  spec: map({
    versions: list(
      map(
        {
          name: anyText,
          schema: map({
            openAPIV3Schema: map({
              properties: map({
                status: map({
                  properties: map({
                    trustRoots: map({
                      properties: map({
                        targetClusterFullTrustRoots: type,
                        targetClusterLocalTrustRoots: type,
                        targetClusterTrustMetadata: type,
                        lastSyncedTime: type,
                      }),
                    }),
                  }),
                }),
              }),
            }),
          }),
        },
        ["name"],
      ),
    ),
  }),
});
