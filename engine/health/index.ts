export { type DeclaredMesh, type HealthArgs, type HealthMesh, meshIn } from "./health-mesh.ts";
export { clusterChecks, linkChecks } from "./checks/all.ts";
export { observeMesh, type SourceState, type Views } from "./observe-mesh.ts";
export {
  findingLines,
  reportOn,
  summary,
  withFix,
  type CheckResult,
  type HealthReport,
} from "./report.ts";
export { checkMesh } from "./check-mesh.ts";
export type { CheckedCluster, CheckedLink } from "./health-check.ts";
