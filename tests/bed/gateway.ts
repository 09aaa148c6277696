/** Installs the part of Linkerd's gateway that links look at: a Service with addresses of a load balancer. */
import { type Kubernetes, resources } from "@linkerd-multicluster/engine/kubernetes";
import { annotation, gatewayPort } from "@linkerd-multicluster/engine/mirroring";

export const gatewayName = { namespace: "linkerd-multicluster", name: "linkerd-gateway" } as const;

/** Creates a gateway without a probe. Its namespace has to exist. */
export async function installGateway(
  cluster: Kubernetes,
  { ip, port, identity }: { readonly ip: string; readonly port: number; readonly identity: string },
): Promise<void> {
  await cluster.create(resources.services, {
    metadata: { ...gatewayName, annotations: { [annotation.gatewayIdentity]: identity } },
    spec: {
      type: "LoadBalancer",
      ports: [
        { name: gatewayPort, protocol: "TCP", port },
        { name: "mc-probe", protocol: "TCP", port: 4191 },
      ],
    },
  });
  await assignAddress(cluster, ip);
}

export async function assignAddress(cluster: Kubernetes, ip: string): Promise<void> {
  const patch = { status: { loadBalancer: { ingress: [{ ip }] } } };
  await cluster.patch(resources.services, gatewayName, patch, { subresource: "status" });
}
