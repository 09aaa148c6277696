import { systemTime } from "../kubernetes/client/retry.ts";
import { carryOutRestarts, checkRestarts } from "../restarts/restarts.ts";
import type { RestartArgs, RestartInputs } from "../restarts/restarts.ts";
import { awaitsUnknown, type Checked, PartialFailure, retried, unknownValue } from "./contract.ts";
import { cancellation, clusters, unlessCancelled } from "./process.ts";
import { statelessResource } from "./stateless.ts";

const client = clusters.client.bind(clusters);

/** Every run looks at the pods again, so neither state nor a preview decides what is restarted. */
export const restarts = {
  ...statelessResource<RestartInputs>({
    idOf: () => "restarts",
    subject: () => ({}),
    isDue: ({ restarts }) => restarts !== undefined,
    async make(inputs) {
      const { restarts: _, ...done } = inputs;
      const context = {
        say: console.log,
        time: systemTime,
        now: () => new Date(),
        stop: cancellation.stop,
      };
      const problems = await unlessCancelled(clusters, () =>
        carryOutRestarts(inputs, client, context),
      );
      if (problems.length > 0) throw new PartialFailure("restarts", inputs, [...problems, retried]);
      return done;
    },
  }),

  check: (olds: Partial<RestartInputs>, args: RestartArgs): Promise<Checked<object>> =>
    unlessCancelled(clusters, async () => {
      const { bundles, leaving, ...others } = args;
      const isKnown = !awaitsUnknown({ bundles, leaving });
      const { inputs, notes } = await checkRestarts(
        olds,
        { ...others, ...(isKnown ? { bundles, leaving } : { bundles: {}, leaving: [] }) },
        isKnown,
        client,
        new Date(),
      );
      for (const note of notes) console.log(note);
      const unknown = { bundles: unknownValue, leaving: unknownValue };
      return { inputs: isKnown ? inputs : { ...inputs, ...unknown }, failures: [] };
    }),
};
