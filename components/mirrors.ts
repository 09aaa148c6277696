import * as pulumi from "@pulumi/pulumi";
import { EngineResource } from "./engine-resource.ts";
import { valueOf } from "./output-value.ts";
import {
  countNotMirrored,
  type Declared,
  type MirrorsArgs,
  type ObservedGateway,
} from "@linkerd-multicluster/engine/mirroring";

export type MirrorsInputs = Omit<Declared<MirrorsArgs>, "observedGateways"> & {
  /** A gateway is unknown in the preview of a run that will create it. */
  readonly observedGateways?: Readonly<
    Record<string, pulumi.Input<ObservedGateway | typeof pulumi.unknown | undefined>>
  >;
};

/** Groups one line for each mirror or Service by the link's target or `federated`. */
export type Lists = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The state of a link after the last run. */
export interface LinkSummary {
  /** If `unreachable`, a cluster doesn't answer; if `failed`, somebody has to fix what it answers. Mirrors stay. */
  readonly state: "ok" | "unreachable" | "failed";
  /** What is wrong with a failed link, and what to do. */
  readonly problem?: string;
  readonly mirrors: number;
  readonly notMirrored: number;
}

/** A cluster has one resource for all its mirrors, however many links lead there. */
export class Mirrors extends EngineResource {
  /** A number that increases with each run that has something to do or to report. `diff` compares nothing else. */
  declare readonly revision: pulumi.Output<number>;
  /** Both lists are undefined unless `listed` is set. */
  declare readonly mirrors: pulumi.Output<Lists | undefined>;
  declare readonly notMirrored: pulumi.Output<Lists | undefined>;
  declare readonly unreachable: pulumi.Output<readonly string[] | undefined>;
  declare readonly refused: pulumi.Output<Readonly<Record<string, string>> | undefined>;
  /** Keys are those of links, such as `east/west`. */
  readonly linkStatuses: pulumi.Output<Readonly<Record<string, LinkSummary>>>;

  constructor(
    name: string,
    args: pulumi.Inputs & MirrorsInputs,
    opts?: pulumi.CustomResourceOptions,
  ) {
    const lists = { mirrors: undefined, notMirrored: undefined };
    const outputs = { revision: undefined, unreachable: undefined, refused: undefined };
    super("Mirrors", name, { ...args, ...lists, ...outputs }, opts);
    const { mirrors, notMirrored, unreachable, refused } = this;
    const found = pulumi.all([mirrors, notMirrored, unreachable, refused] as const);
    this.linkStatuses = found.apply((lists) => {
      const statuses = args.links.map(({ source, target }) => {
        return [`${source}/${target}`, statusOf({ source, target }, ...lists)] as const;
      });
      return Object.fromEntries(statuses);
    });
  }
}

function statusOf(
  { source, target }: Readonly<Record<"source" | "target", string>>,
  mirrors: Lists = {},
  notMirrored: Lists = {},
  unreachable: readonly string[] = [],
  refused: Readonly<Record<string, string>> = {},
): LinkSummary {
  const isDown = unreachable.includes(source) || unreachable.includes(target);
  const problem = refused[target] ?? refused[source];
  return {
    state: problem !== undefined ? "failed" : isDown ? "unreachable" : "ok",
    ...(problem !== undefined && { problem }),
    mirrors: Object.keys(mirrors[target] ?? {}).length,
    notMirrored: countNotMirrored(notMirrored[target]),
  };
}

/**
 * Warns in a preview of whatever fails the run at its end, since nothing else there says so.
 *
 * @param told of these the user has been warned already
 */
export async function announceFailure(
  all: Iterable<Mirrors>,
  told: Iterable<string>,
  parent: pulumi.Resource,
): Promise<void> {
  if (!pulumi.runtime.isDryRun()) return;
  const found = await Promise.all([...all].map(({ refused }) => valueOf(refused)));
  const known = new Set(told);
  for (const why of new Set(found.flatMap((each = {}) => Object.values(each))))
    if (!known.has(why))
      await pulumi.log.warn(`pulumi up will fail after everything else: ${why}`, parent);
}
