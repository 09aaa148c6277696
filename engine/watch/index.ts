/** Watching the clusters of a stack between its runs, and running it: all that the program imports of it. */
export { ControlLoop } from "./control-loop.ts";
export { DryRunner } from "./dry-runner.ts";
export type { Observer, WatchEvent } from "./events.ts";
export { limited, sentenceOf } from "./log.ts";
export { MeshWatch } from "./mesh-watch.ts";
export { watchMetrics } from "./metrics.ts";
export { pulumi, type StackLocation } from "./pulumi.ts";
export { serve } from "./server.ts";
export { StackRuns } from "./stack-runs.ts";
export { stackStateIn } from "./stack-state.ts";
