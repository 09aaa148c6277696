import type { Kubernetes } from "../../../engine/kubernetes/client/interface.ts";
import * as testbed from "../../../testbed/gateway.ts";
import { gateway as standard } from "./mirrors.ts";
import { createNamespaces, emptyWorld, type World } from "./world.ts";

export { assignAddresses, gatewayName } from "../../../testbed/gateway.ts";

export async function installGateway(kube: Kubernetes, gateway: testbed.GatewaySpec = standard) {
  await createNamespaces(kube, [testbed.gatewayName.namespace]);
  await testbed.installGateway(kube, gateway);
}

/** An empty world with a gateway in west, and in east the namespaces that are mirrored into. */
export async function worldWithGateway(...namespaces: readonly string[]): Promise<World> {
  const world = await emptyWorld();
  await installGateway(world.kube.west);
  await createNamespaces(world.kube.east, namespaces);
  return world;
}
