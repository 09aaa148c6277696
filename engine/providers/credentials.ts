/**
 * Methods of two dynamic resources that go with a link's credentials. As in provider.ts, state
 * keeps calls of these by name for years: `linkTargets` and `tokenChecks` are a public contract.
 * Neither ever holds a credential.
 */

import { setTimeout } from "node:timers/promises";
import { foreignLink } from "../credentials/foreign-link.ts";
import {
  type Checked,
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
import { connectWithToken } from "../credentials/token-client.ts";
import type { CheckFailure } from "./failures.ts";
import { awaitsUnknown } from "./unknown.ts";
import { Clusters } from "../mirroring/observe/clusters.ts";
import { isDeepStrictEqual } from "node:util";

/** For its clients: one per cluster and process. */
const world = new Clusters();

const read: ReadTarget = (args, before) =>
  readTarget(args, before, {
    client: () => world.client(args.target, args.access),
    now: () => new Date(),
  });

const sleep = (milliseconds: number) => setTimeout(milliseconds);

/** As long as Pulumi itself waits for a Service's load balancer. */
const balancerPatience = { within: 600_000, every: 2_000, sleep };
/** Controllers fill a token Secret, and API servers learn of new rules, within a second or two. */
const tokenPatience = { within: 30_000, every: 500, sleep };

/** What a link has to know of its target: an endless question with no object of its own. */
export const linkTargets = {
  async check(olds: Partial<TargetInputs>, args: TargetArgs): Promise<PulumiChecked<TargetInputs>> {
    if (awaitsUnknown(args)) return { inputs: args, failures: [] };
    const { inputs, failures, notes }: Checked = await checkTarget(read, olds, args);
    // Pulumi shows each line that the provider prints as a message of the stack.
    for (const note of notes) console.log(`link ${args.source}/${args.target}: ${note}`);
    const foreign = olds.source === undefined ? await madeByOthers(args) : [];
    return { inputs, failures: [...failures, ...foreign] };
  },

  diff(_id: string, olds: Partial<TargetOutputs>, news: TargetInputs) {
    return Promise.resolve(isSameTarget(olds, news) ? { changes: false } : {});
  },

  async create(inputs: TargetInputs) {
    const facts = await settleTarget(read, {}, inputs, balancerPatience);
    return { id: `${inputs.source}/${inputs.target}`, outs: { ...inputs, facts } };
  },

  async update(_id: string, olds: TargetOutputs, inputs: TargetInputs) {
    const facts = await settleTarget(read, olds, inputs, balancerPatience);
    return { outs: { ...inputs, facts } };
  },

  /** Every run asks anew, so there is nothing that a refresh could add. */
  read(id: string, props?: TargetOutputs) {
    if (props === undefined)
      return Promise.reject(new Error(`link target ${id} cannot be imported: run pulumi up`));
    return Promise.resolve({ id, props });
  },

  delete() {
    return Promise.resolve();
  },
};

/** That a new token works, before anything is told to use it. */
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
  return checkToken(args, {
    runner: () => world.client(args.target, args.access),
    bearer: (token) => connectWithToken(args.access, args.target, token),
    patience: tokenPatience,
  });
}

/** What a check was of; state adds the provider's own code to it. */
function subject({ target, access, namespace, account, secret, rules }: Partial<TokenCheckArgs>) {
  return { target, access, namespace, account, secret, rules };
}
