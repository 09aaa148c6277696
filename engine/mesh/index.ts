/** Opens clusters and reads meshes. Programs outside of the engine import from here alone. */
export { openClusters, type Connect, type OpenedClusters } from "./open-clusters.ts";
