/** The two dynamic resources of a link's credentials. Neither ever holds a credential. */

import {
  checkTarget,
  isSameTarget,
  type ReadTarget,
  settleTarget,
} from "../credentials/link-target.ts";
import type {
  TargetArgs,
  TargetInputs,
  TargetOutputs,
  TokenCheckArgs,
} from "../credentials/state.ts";
import { readTarget } from "../credentials/target.ts";
import { checkToken } from "../credentials/token-check.ts";
import { judgeFor } from "../mesh/gateway.ts";
import { debugLog } from "../kubernetes/client/log.ts";
import { accepted, awaitsUnknown, type Checked, statelessResource } from "./contract.ts";
import { cancellation, clusters, unlessCancelled } from "./process.ts";

const read: ReadTarget = (args, before) =>
  readTarget(args, before, {
    client: () => clusters.client(args.target, args.access),
    judge: judgeFor(clusters, args.source, args.sourceAccess),
    now: () => new Date(),
  });

/** Pulumi itself waits this long for a Service's load balancer. */
const balancerPolling = { within: 600_000, every: 2_000, stop: cancellation.stop };
/** Controllers fill a token Secret, and API servers apply new rules, within a second or two. */
const tokenPolling = { within: 30_000, every: 500, stop: cancellation.stop };

/** The facts about its target that a link needs. Every run reads them again. */
export const linkTargets = {
  ...statelessResource<TargetArgs, TargetInputs, TargetOutputs>({
    called: (id) => `link target ${id}`,
    idOf: ({ source, target }) => `${source}/${target}`,
    check: (olds, args) => unlessCancelled(clusters, () => checkLink(olds, args)),
    subject: (props) => props,
    make: (inputs, olds) =>
      unlessCancelled(clusters, async () => ({
        ...inputs,
        facts: await settleTarget(read, olds, inputs, balancerPolling),
      })),
  }),

  diff(_id: string, olds: Partial<TargetOutputs>, news: TargetInputs) {
    return Promise.resolve(isSameTarget(olds, news) ? { changes: false } : {});
  },
};

/** Checks that a new token works, before anything uses it. */
export const tokenChecks = statelessResource<TokenCheckArgs, TokenCheckArgs>({
  called: (id) => `token check ${id}`,
  idOf: ({ target, namespace, account }) => `${target}/${namespace}/${account}`,
  check: accepted,
  subject: ({ target, access, namespace, account, secret, rules }) => {
    return { target, access, namespace, account, secret, rules };
  },

  async make(inputs) {
    const context = {
      runner: () => clusters.client(inputs.target, inputs.access),
      bearer: (token: string) => clusters.connect({ ...inputs.access, token }, inputs.target),
      polling: tokenPolling,
    };
    await unlessCancelled(clusters, () => checkToken(inputs, context));
    return inputs;
  },
});

async function checkLink(
  olds: Partial<TargetInputs>,
  args: TargetArgs,
): Promise<Checked<TargetInputs>> {
  if (awaitsUnknown(args)) return { inputs: args, failures: [] };
  const { inputs, mistake, notes } = await checkTarget(read, olds, args);
  const failures = mistake === undefined ? [] : [{ property: "target", reason: mistake }];
  const link = `link ${args.source}/${args.target}`;
  debugLog()?.(`${link}: token ${inputs.facts?.token ?? "unknown"}`);
  // Pulumi shows each line that the provider prints as a message of the stack.
  for (const note of notes) console.log(`${link}: ${note}`);
  return { inputs, failures };
}
