/** Linkerd's gateway as far as links look at it: a Service that a load balancer has given addresses. */
import { type Kubernetes, resources } from "@linkerd-multicluster/engine/kubernetes";
import { annotation, gatewayPort } from "@linkerd-multicluster/engine/mirroring";

export const gatewayName = { namespace: "linkerd-multicluster", name: "linkerd-gateway" } as const;

export interface GatewaySpec {
  readonly addresses: readonly string[];
  readonly port: number;
  readonly identity: string;
  /** Absent: its Service offers no probe. */
  readonly probe?: { readonly path: string; readonly period: string; readonly port: number };
}

/** The namespace has to be there. */
export async function installGateway(
  cluster: Kubernetes,
  { addresses, port, identity, probe }: GatewaySpec,
): Promise<void> {
  await cluster.create(resources.services, {
    metadata: {
      ...gatewayName,
      annotations: {
        [annotation.gatewayIdentity]: identity,
        ...(probe !== undefined && {
          [annotation.probePath]: probe.path,
          [annotation.probePeriod]: probe.period,
        }),
      },
    },
    spec: {
      type: "LoadBalancer",
      ports: [
        { name: gatewayPort, protocol: "TCP", port },
        { name: "mc-probe", protocol: "TCP", port: probe?.port ?? 4191 },
      ],
    },
  });
  await assignAddresses(
    cluster,
    addresses.map((ip) => ({ ip })),
  );
}

/** Sets the addresses as the load balancer does. */
export async function assignAddresses(
  cluster: Kubernetes,
  ingress: readonly ({ readonly ip: string } | { readonly hostname: string })[],
): Promise<void> {
  const patch = { status: { loadBalancer: { ingress } } };
  await cluster.patch(resources.services, gatewayName, patch, { subresource: "status" });
}
