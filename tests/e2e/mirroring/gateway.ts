import type { Kubernetes } from "../../../engine/kubernetes/interface.ts";
import * as testbed from "../../../testbed/gateway.ts";
import { gateway as standard } from "./mirrors.ts";
import { createNamespaces } from "./world.ts";

export { assignAddresses, gatewayName } from "../../../testbed/gateway.ts";

export async function installGateway(kube: Kubernetes, gateway: testbed.Gateway = standard) {
  await createNamespaces(kube, [testbed.gatewayName.namespace]);
  await testbed.installGateway(kube, gateway);
}
