import { parentPort } from "node:worker_threads";
import { doors, large } from "./doors.ts";

// The last name that arrives is the door at which the heap was full.
for (const [name, door] of Object.entries(doors)) {
  parentPort?.postMessage(name);
  await door(large)();
}
