/**
 * Checks of a mesh, and the report on them.
 * The rest of the program imports nothing of it but this.
 */
export type { HealthMesh } from "./mesh.ts";
export { observeMesh, type SourceState, type Views } from "./observe/observe.ts";
export { reportOn, table, type CheckResult, type Report } from "./report.ts";
export { checkMesh } from "./run.ts";
export type { ClusterView, LinkView } from "./view.ts";
