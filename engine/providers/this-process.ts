import { Clusters } from "../mirroring/observe/clusters.ts";
import { cancellation } from "./cancellation.ts";

/**
 * The clusters as all resources of this process see them, whatever they are: each is connected to, and
 * its credential plugin run, once. One process serves one phase of one operation.
 */
export const clusters = new Clusters({ cancellation });
