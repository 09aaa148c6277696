/** The two dynamic resources of a link's credentials (index.ts). Neither ever holds a credential. */

import { foreignLink } from "../credentials/foreign-link.ts";
import {
  checkTarget,
  isSameTarget,
  type ReadTarget,
  settleTarget,
} from "../credentials/link-target.ts";
import type {
  TargetArgs,
  TargetFacts,
  TargetInputs,
  TargetOutputs,
  TokenCheckArgs,
} from "../credentials/state.ts";
import { readTarget } from "../credentials/target.ts";
import { checkToken } from "../credentials/token-check.ts";
import { debugLog } from "../kubernetes/log.ts";
import { cancellation, unlessCancelled } from "./cancellation.ts";
import type { CheckFailure } from "./failures.ts";
import { awaitsUnknown } from "./unknown.ts";
import { Clusters } from "../mirroring/observe/clusters.ts";
import { isDeepStrictEqual } from "node:util";

/** For its clients: one per cluster and process. */
const world = new Clusters({ cancellation });

const read: ReadTarget = (args, before) =>
  readTarget(args, before, {
    client: () => world.client(args.target, args.access),
    now: () => new Date(),
  });

/** As long as Pulumi itself waits for a Service's load balancer. */
const balancerPolling = { within: 600_000, every: 2_000, stop: cancellation.stop };
/** Controllers fill a token Secret, and API servers learn of new rules, within a second or two. */
const tokenPolling = { within: 30_000, every: 500, stop: cancellation.stop };

/** What a link has to know of its target, read again in every run; it has no object of its own. */
export const linkTargets = {
  check(olds: Partial<TargetInputs>, args: TargetArgs): Promise<PulumiChecked<TargetInputs>> {
    return unlessCancelled(cancellation, () => checkLink(olds, args));
  },

  diff(_id: string, olds: Partial<TargetOutputs>, news: TargetInputs) {
    return Promise.resolve(isSameTarget(olds, news) ? { changes: false } : {});
  },

  async create(inputs: TargetInputs) {
    const facts = await settle({}, inputs);
    return { id: `${inputs.source}/${inputs.target}`, outs: { ...inputs, facts } };
  },

  async update(_id: string, olds: TargetOutputs, inputs: TargetInputs) {
    const facts = await settle(olds, inputs);
    return { outs: { ...inputs, facts } };
  },

  /** Every run reads the target anew, so there is nothing that a refresh could add. */
  read(id: string, props?: TargetOutputs) {
    if (props === undefined)
      return Promise.reject(new Error(`link target ${id} cannot be imported: run pulumi up`));
    return Promise.resolve({ id, props });
  },

  delete() {
    return Promise.resolve();
  },
};

/** Checks that a new token works, before anything uses it. */
export const tokenChecks = {
  check(_olds: Partial<TokenCheckArgs>, args: TokenCheckArgs) {
    const checked: PulumiChecked<TokenCheckArgs> = { inputs: args, failures: [] };
    return Promise.resolve(checked);
  },

  diff(_id: string, olds: Partial<TokenCheckArgs>, news: Partial<TokenCheckArgs>) {
    const same = isDeepStrictEqual(subject(olds), subject(news));
    return Promise.resolve(same ? { changes: false } : {});
  },

  async create(inputs: TokenCheckArgs) {
    await tryToken(inputs);
    return { id: `${inputs.target}/${inputs.namespace}/${inputs.account}`, outs: inputs };
  },

  async update(_id: string, _olds: TokenCheckArgs, inputs: TokenCheckArgs) {
    await tryToken(inputs);
    return { outs: inputs };
  },

  read(id: string, props?: TokenCheckArgs) {
    if (props === undefined)
      return Promise.reject(new Error(`token check ${id} cannot be imported: run pulumi up`));
    return Promise.resolve({ id, props });
  },

  delete() {
    return Promise.resolve();
  },
};

function settle(olds: Partial<TargetOutputs>, inputs: TargetInputs): Promise<TargetFacts> {
  return unlessCancelled(cancellation, () => settleTarget(read, olds, inputs, balancerPolling));
}

async function checkLink(
  olds: Partial<TargetInputs>,
  args: TargetArgs,
): Promise<PulumiChecked<TargetInputs>> {
  if (awaitsUnknown(args)) return { inputs: args, failures: [] };
  const { inputs, mistake, notes } = await checkTarget(read, olds, args);
  const failures = mistake === undefined ? [] : [{ property: "target", reason: mistake }];
  const link = `link ${args.source}/${args.target}`;
  debugLog()?.(`${link}: token ${inputs.facts?.token ?? "unknown"}`);
  // Pulumi shows each line that the provider prints as a message of the stack.
  for (const note of notes) console.log(`${link}: ${note}`);
  const foreign = olds.source === undefined ? await madeByOthers(args) : [];
  return { inputs, failures: [...failures, ...foreign] };
}

/** For a link that is new to this stack. */
async function madeByOthers(args: TargetArgs): Promise<CheckFailure[]> {
  const { source, sourceAccess } = args;
  if (sourceAccess === undefined) return [];
  const reason = await foreignLink(await world.client(source, sourceAccess), args);
  return reason === undefined ? [] : [{ property: "source", reason }];
}

interface PulumiChecked<Inputs> {
  readonly inputs: Inputs;
  readonly failures: CheckFailure[];
}

function tryToken(args: TokenCheckArgs): Promise<void> {
  const context = {
    runner: () => world.client(args.target, args.access),
    bearer: (token: string) => world.connect({ ...args.access, token }, args.target),
    polling: tokenPolling,
  };
  return unlessCancelled(cancellation, () => checkToken(args, context));
}

/** What is compared; state adds the provider's own code to it. */
function subject({ target, access, namespace, account, secret, rules }: Partial<TokenCheckArgs>) {
  return { target, access, namespace, account, secret, rules };
}
