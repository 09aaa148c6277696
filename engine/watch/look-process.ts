/** The process of one look (lookout.ts): told what is in the state, it answers with what it sees. */
import type { Inputs } from "../mirroring/model/state.ts";
import { look, type Sight } from "./look.ts";

export type Answer = { readonly sight: Sight } | { readonly why: string };

process.once("message", (sources) => {
  look(sources as readonly Inputs[])
    .then(
      (sight): Answer => ({ sight }),
      (error: unknown): Answer => ({ why: error instanceof Error ? error.message : String(error) }),
    )
    .then((answer) => process.send?.(answer, () => process.exit()))
    .catch(() => process.exit(1));
});

// Whoever wanted to know is gone.
process.once("disconnect", () => process.exit());
