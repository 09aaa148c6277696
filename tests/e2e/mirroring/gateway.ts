import type { Kubernetes } from "../../../engine/kubernetes/interface.ts";
import { resources } from "../../../engine/kubernetes/resources.ts";
import { gateway as standard } from "./mirrors.ts";
import { createNamespaces } from "./world.ts";

export const gatewayName = { namespace: "linkerd-multicluster", name: "linkerd-gateway" } as const;

/** Linkerd's gateway as far as links look at it: a Service that a load balancer has got hold of. */
export async function installGateway(
  kube: Kubernetes,
  { addresses, port, identity }: typeof standard = standard,
): Promise<void> {
  await createNamespaces(kube, [gatewayName.namespace]);
  await kube.create(resources.services, {
    metadata: { ...gatewayName, annotations: { "mirror.linkerd.io/gateway-identity": identity } },
    spec: {
      type: "LoadBalancer",
      ports: [
        { name: "mc-gateway", protocol: "TCP", port },
        { name: "mc-probe", protocol: "TCP", port: 4191 },
      ],
    },
  });
  await assignAddresses(
    kube,
    addresses.map((ip) => ({ ip })),
  );
}

/** As the load balancer does. */
export async function assignAddresses(
  kube: Kubernetes,
  ingress: readonly ({ readonly ip: string } | { readonly hostname: string })[],
): Promise<void> {
  const patch = { status: { loadBalancer: { ingress } } };
  await kube.patch(resources.services, gatewayName, patch, { subresource: "status" });
}
