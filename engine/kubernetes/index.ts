/**
 * A cluster: its kubeconfig, connection and requests, and who it is.
 * The rest of the program imports nothing of it but this.
 */
export { connect } from "./connect.ts";
export { parseDuration } from "./duration.ts";
export type { Kubernetes } from "./interface.ts";
export { processEnvironment, refuseRelativePaths, type ClusterAccess } from "./kubeconfig.ts";
export { debugLog } from "./log.ts";
export { isCidr, isDnsLabel, isDnsName, isLabelKey, isLabelValue } from "./names.ts";
export { plain } from "./plain.ts";
export type { Endpoints, ObjectMeta, Service, ServicePort, StringMap } from "./objects.ts";
export { withoutUserPart } from "./redaction.ts";
export { openClusters, type Connect, type OpenedClusters } from "./preflight.ts";
export { systemTime } from "./retry.ts";
export { resources, type ObjectName, type Resource } from "./resources.ts";
