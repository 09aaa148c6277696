/** The process of one dry run (dry-runner.ts): told what is in the state, it answers with its result. */
import { messageOf } from "../message.ts";
import type { Inputs } from "../mirroring/model/state.ts";
import { dryRun } from "./dry-run.ts";

process.once("message", (sources) => {
  dryRun(sources as readonly Inputs[])
    .catch(messageOf)
    .then((answer) => process.send?.(answer, () => process.exit()))
    .catch(() => process.exit(1));
});

// Whoever wanted to know is gone.
process.once("disconnect", () => process.exit());
