/** Watching the clusters of a stack between its runs, and running it: all that the program imports of it. */
export { ControlLoop } from "./control-loop.ts";
export { dryRun, DryRunClusters } from "./dry-run.ts";
export type { Observer, WatchEvent } from "./events.ts";
export { watchHostnames } from "./hostnames.ts";
export { sentenceOf } from "./log.ts";
export { MeshWatch } from "./mesh-watch.ts";
export { watchMetrics } from "./metrics.ts";
export { pulumi, type StackLocation } from "./pulumi.ts";
export { serve } from "./server.ts";
export { StackRuns } from "./stack-runs.ts";
export { stackStateIn } from "./stack-state.ts";
