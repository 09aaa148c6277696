/**
 * Checks of a mesh, and the report on them.
 * The rest of the program imports nothing of it but this.
 */
export type { HealthMesh } from "./mesh.ts";
export { table } from "./report.ts";
export { checkMesh } from "./run.ts";
