/** Programs outside of the engine import from here alone. */
export { Clusters } from "./clusters.ts";
export { sendProbe } from "./gateway.ts";
export { kubeconfigMistakes } from "./installations.ts";
export type { InstallationNeed, InstallationsNeed } from "./need.ts";
export { readMesh } from "./read-mesh.ts";
export type { InstallationReading, MeshReading } from "./reading.ts";
