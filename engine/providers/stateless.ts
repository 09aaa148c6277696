import { isDeepStrictEqual } from "node:util";
import { removeForeignSettings } from "../credentials/adoption.ts";
import { checkIdentity, type IdentityInputs } from "../credentials/cluster-identity.ts";
import {
  type InstalledArgs,
  type InstalledInputs,
  type Remembering,
  rememberInstalled,
} from "../credentials/installed.ts";
import {
  awaitHostnames,
  checkTarget,
  isSameTarget,
  type ReadTarget,
  settleTarget,
} from "../credentials/link-target.ts";
import { checkRevocation, revoke } from "../credentials/revocation.ts";
import type {
  RevocationInputs,
  TargetArgs,
  TargetInputs,
  TokenCheckArgs,
} from "../credentials/state.ts";
import { readTarget } from "../credentials/target.ts";
import { checkToken } from "../credentials/token-check.ts";
import type { HealthArgs } from "../health/health-mesh.ts";
import { checkAfterRun } from "../health/check-mesh.ts";
import type { Kubernetes } from "../kubernetes/client/interface.ts";
import { debugLog } from "../kubernetes/client/log.ts";
import { lookupFor } from "../reading/gateway.ts";
import { type PublicationInputs, publish } from "../trust/publication.ts";
import { UserError } from "../base/user-error.ts";
import {
  awaitsUnknown,
  type Checked,
  PartialFailure,
  retried,
  type Unfinished,
  failuresOf,
} from "./contract.ts";
import { cancellation, clusters, revokedInThisRun, unlessCancelled } from "./process.ts";

interface Definition<Inputs extends object> {
  readonly idOf: (inputs: Inputs) => string;
  /** Without it, the arguments become the inputs. They are never unknown. */
  readonly check?: (olds: Partial<Inputs>, args: Inputs) => Promise<Checked<Inputs>>;
  /** Returns the fields that `diff` compares; by default all. */
  readonly subject?: (props: Partial<Inputs>) => object;
  /** Returns whether `check` found something to do, whatever the outputs say. Its inputs then differ from those before. */
  readonly isDue?: (inputs: Partial<Inputs>) => boolean;
  /** Carries out what `check` decided, and returns the new state; by default the inputs. */
  readonly make?: (inputs: Inputs, olds: Partial<Inputs>) => Promise<Inputs>;
}

/** A resource without an object in a cluster: every run reads its subject again, and `delete` does nothing. */
export function statelessResource<Inputs extends object>({
  idOf,
  check,
  subject = (props) => props,
  isDue = () => false,
  make = (inputs) => Promise.resolve(inputs),
}: Definition<Inputs>) {
  const compared = (props: Partial<Inputs> & { readonly __provider?: unknown }) => {
    const { __provider, ...rest } = props;
    return subject(rest as Partial<Inputs>);
  };
  return {
    check: (olds: Partial<Inputs>, inputs: Inputs): Promise<Checked<Inputs>> =>
      check === undefined || awaitsUnknown(inputs)
        ? Promise.resolve({ inputs, failures: [] })
        : check(olds, inputs),

    diff(_id: string, olds: Partial<Inputs> & Unfinished, news: Partial<Inputs>) {
      // The inputs may be those of the run before, in which the engine would find no change.
      if (olds.unfinished === true) return Promise.resolve({ changes: true });
      const isSame = !isDue(news) && isDeepStrictEqual(compared(olds), compared(news));
      return Promise.resolve(isSame ? { changes: false } : {});
    },

    create: async (inputs: Inputs) => ({ id: idOf(inputs), outs: await make(inputs, {}) }),

    update: async (_id: string, olds: Partial<Inputs>, inputs: Inputs) => ({
      outs: await make(inputs, olds),
    }),

    read<Props>(id: string, props?: Props) {
      if (props === undefined)
        return Promise.reject(new UserError(`${id} cannot be imported: run pulumi up`));
      return Promise.resolve({ id, props });
    },

    delete: () => Promise.resolve(),
  };
}

const client = clusters.client.bind(clusters);
const reader = clusters.reader.bind(clusters);

/** Pulumi shows each line that the provider prints as a message of the stack. */
function print(...lines: readonly string[]): void {
  for (const line of lines) console.log(line);
}

export const clusterIdentities = statelessResource<IdentityInputs>({
  idOf: ({ cluster }) => cluster,
  async check(olds, args) {
    const { inputs, notes } = await checkIdentity(olds, args, client);
    print(...notes);
    return { inputs, failures: [] };
  },
});

export const installations = {
  ...statelessResource<InstalledInputs>({ idOf: () => "installed" }),

  check: (olds: Remembering, args: InstalledArgs): Promise<Checked<InstalledInputs>> =>
    Promise.resolve({ inputs: rememberInstalled(olds, args), failures: [] }),
};

/** State of versions before 0.2 may hold claims, which are only read and deleted. Their Leases mean nothing now. */
export const claims = statelessResource<Pick<IdentityInputs, "cluster">>({
  idOf: ({ cluster }) => cluster,
});

const readBy =
  (open: typeof client | typeof reader): ReadTarget =>
  (args, before) =>
    readTarget(args, before, {
      client: () => open(args.target, args.access),
      source: () => sourceOf(args),
      lookup: lookupFor(clusters, args.source, args.sourceAccess),
      now: () => new Date(),
    });

function sourceOf({ source, sourceAccess = { context: source } }: TargetArgs): Promise<Kubernetes> {
  return client(source, sourceAccess);
}

/** Pulumi itself waits this long for a Service's load balancer. */
const balancerPolling = { within: 600_000, every: 2_000, stop: cancellation.stop };
/** On AWS, DNS knows the name of a new load balancer after two to five minutes. */
const hostnamePolling = { within: 600_000, every: 5_000, stop: cancellation.stop };
/** Controllers fill a token Secret, and API servers apply new rules, within a second or two. */
const tokenPolling = { within: 30_000, every: 500, stop: cancellation.stop };

/** Neither this nor the next resource ever holds a credential. */
export const linkTargets = {
  ...statelessResource<TargetInputs>({
    idOf: linkName,
    check: (olds, args) =>
      unlessCancelled(clusters, async () => {
        const { inputs, mistake, notes } = await checkTarget(readBy(reader), olds, args);
        const link = `link ${args.source} → ${args.target}`;
        debugLog()?.(`${link}: token ${inputs.facts?.token ?? "unknown"}`);
        print(...notes.map((note) => `${link}: ${note}`));
        return { inputs, failures: failuresOf(mistake === undefined ? [] : [mistake]) };
      }),
    make: (inputs, olds) =>
      unlessCancelled(clusters, async () => {
        const facts = await settleTarget(readBy(client), olds, inputs, balancerPolling, print);
        const { adopt: link } = inputs;
        if (link !== undefined && olds.adopt === undefined)
          await removeForeignSettings({ args: inputs, link, facts }, await sourceOf(inputs));
        const resolve = (name: string) => clusters.resolveAgain(name);
        await awaitHostnames(olds, inputs, facts, resolve, hostnamePolling, print);
        return { ...inputs, facts };
      }),
  }),

  diff(_id: string, olds: Partial<TargetInputs>, news: TargetInputs) {
    return Promise.resolve(isSameTarget(olds, news) ? { changes: false } : {});
  },
};

function linkName({ source, target }: Pick<TargetInputs, "source" | "target">): string {
  return `${source}/${target}`;
}

export const tokenChecks = statelessResource<TokenCheckArgs>({
  idOf: ({ target, namespace, account }) => `${target}/${namespace}/${account}`,
  async make(inputs) {
    const context = {
      runner: () => client(inputs.target, inputs.access),
      bearer: (token: string) => clusters.connect({ ...inputs.access, token }, inputs.target),
      polling: tokenPolling,
    };
    await unlessCancelled(clusters, () => checkToken(inputs, context));
    return inputs;
  },
});

/** Ends the access of a revoked cluster to others, without contacting that cluster. */
export const revocations = statelessResource<RevocationInputs>({
  idOf: ({ source }) => source,
  async check(olds, args) {
    if (args.isolated) revokedInThisRun.add(args.source);
    const inputs = await unlessCancelled(clusters, () => checkRevocation(olds, args, client));
    return { inputs, failures: [] };
  },
  // A run that has nothing left to delete changes nothing.
  subject: ({ deletes, ...rest }) => rest,
  isDue: ({ deletes }) => deletes !== undefined,
  async make(inputs) {
    const problems = await revoke(inputs, client);
    if (problems.length === 0) return inputs;
    throw new PartialFailure(inputs.source, inputs, [...problems, retried]);
  },
});

/** The next step of a rotation depends on what a trust stack has published last. */
export const trustPublications = statelessResource<PublicationInputs>({
  idOf: () => "trust",
  check(olds, args) {
    const found = publish(olds.publication?.clusters ?? {}, args);
    return Promise.resolve(
      "value" in found
        ? { inputs: { ...args, publication: found.value }, failures: [] }
        : { inputs: args, failures: failuresOf([found.why]) },
    );
  },
  subject: ({ publication }) => ({ publication }),
});

export const health = statelessResource<HealthArgs>({
  idOf: () => "health",
  async make(inputs, before) {
    const { stopping, notes } = await unlessCancelled(clusters, () =>
      checkAfterRun(inputs, before, cancellation),
    );
    print(...notes);
    if (stopping.length > 0) throw new PartialFailure("health", inputs, stopping);
    return inputs;
  },
});
