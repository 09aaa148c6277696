import { Clusters } from "../mesh/clusters.ts";
import { cancellation } from "./cancellation.ts";

/**
 * The clusters as all resources of this process see them, whatever they are: each is connected to, and
 * its credential plugin run, once. One process serves one phase of one operation.
 */
export const clusters = new Clusters({ cancellation });

/**
 * The clusters that this run must not contact, since they are no longer trusted. A resource whose
 * cluster has left the config is told nothing but its own state when it is deleted, and so would go
 * there. One process serves one phase of one operation, and checks everything before it deletes.
 */
export const isolatedHere = new Set<string>();
