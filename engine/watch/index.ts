/**
 * Watching the clusters of a stack between its runs, and when to run it.
 * The rest of the program imports nothing of it but this.
 */
export { Convergence, type RunEnd, type StackRuns } from "./convergence.ts";
export {
  commands,
  leftovers,
  type Observer,
  reasons,
  results,
  type SourceSeen,
  type State,
  states,
  type WatchEvent,
} from "./events.ts";
export { limited } from "./log-limit.ts";
export { Lookout } from "./lookout.ts";
export { MeshWatch } from "./mesh-watch.ts";
export { sentenceOf } from "./sentences.ts";
