import type { Kubernetes } from "../../../engine/kubernetes/client/interface.ts";
import * as testbed from "../../../testbed/gateway.ts";
import { gateway as standard } from "./mirrors.ts";
import { createNamespaces, emptyBed, type SharedBed } from "./shared-bed.ts";

export { assignAddresses, gatewayName } from "../../../testbed/gateway.ts";

export async function installGateway(kube: Kubernetes, gateway: testbed.GatewaySpec = standard) {
  await createNamespaces(kube, [testbed.gatewayName.namespace]);
  await testbed.installGateway(kube, gateway);
}

/** The empty bed with a gateway in west, and in east the namespaces that are mirrored into. */
export async function bedWithGateway(...namespaces: readonly string[]): Promise<SharedBed> {
  const shared = await emptyBed();
  await installGateway(shared.kube.west);
  await createNamespaces(shared.kube.east, namespaces);
  return shared;
}
