export { connect, connectToWatch } from "./client/connect.ts";
export { inSeconds, parseDuration } from "./objects/duration.ts";
export type { Kubernetes, ListOptions } from "./client/interface.ts";
export {
  processEnvironment,
  refuseRelativePaths,
  type ClusterAccess,
} from "./kubeconfig/kubeconfig.ts";
export { registerKubeconfigs, nameOfGiven } from "./kubeconfig/given.ts";
export { deniedOf } from "./access-review.ts";
export { movedCluster, sameClusters } from "./identity.ts";
export { debugLog } from "./client/log.ts";
export { bounds } from "./objects/bounds.ts";
export { isCidr } from "./objects/address-ranges.ts";
export { isDnsLabel, isDnsName, isLabelKey, isLabelValue, kubectlIn } from "./objects/names.ts";
export { isRecord, parse } from "./objects/checks.ts";
export { printable } from "./objects/printable.ts";
export {
  objectKey,
  type ObjectKey,
  type ObjectMeta,
  type Service,
  type ServicePort,
  type StringMap,
} from "./objects/objects.ts";
export type { Pod } from "./objects/workload-resource.ts";
export { withoutUserPart } from "./client/redaction.ts";
export type { ObjectChange, Watching } from "./client/watching.ts";
export { closedClient } from "./client/failure.ts";
export { KubernetesError } from "./client/errors.ts";
export { backoff, systemTime, type Backoff, type Time } from "./client/retry.ts";
export { resources, type ObjectName, type Resource } from "./objects/resources.ts";
