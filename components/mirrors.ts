import * as pulumi from "@pulumi/pulumi";
import { EngineResource } from "./engine-resource.ts";
import type { MirrorsArgs, ObservedGateway } from "@linkerd-multicluster/engine/mirroring";

export type MirrorsInputs = Omit<MirrorsArgs, "observedGateways"> & {
  /** The gateways by target; unknown in the preview of a run that is to make one. */
  readonly observedGateways?: Readonly<Record<string, pulumi.Input<ObservedGateway | undefined>>>;
};

/** One line for each mirror or Service, by its key, by the link's target or `federated`. */
export type Lists = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** A link, as the last run has left it. */
export interface LinkSummary {
  /** `unreachable`: a cluster doesn't answer; `failed`: what it answers has to be fixed first. Its mirrors stay in both cases. */
  readonly state: "ok" | "unreachable" | "failed";
  /** Tells what is wrong with a failed link, and what to do. */
  readonly problem?: string;
  readonly mirrors: number;
  readonly notMirrored: number;
}

/** The mirrors in one cluster: a single resource, however many links lead there. */
export class Mirrors extends EngineResource {
  /** Goes up with each run that has something to do or to tell. */
  declare readonly revision: pulumi.Output<number>;
  /** The mirrors by part, and why others are not; undefined unless `listed` asks for them. */
  declare readonly mirrors: pulumi.Output<Lists | undefined>;
  declare readonly notMirrored: pulumi.Output<Lists | undefined>;
  /** Clusters that do not answer, and by cluster what somebody has to mend there. */
  declare readonly unreachable: pulumi.Output<readonly string[] | undefined>;
  declare readonly refused: pulumi.Output<Readonly<Record<string, string>> | undefined>;
  /** The links by name, as `east/west`, where `listed` asks for mirrors. */
  readonly linkStatuses: pulumi.Output<Readonly<Record<string, LinkSummary>>>;

  constructor(
    name: string,
    args: pulumi.Inputs & MirrorsInputs,
    opts?: pulumi.CustomResourceOptions,
  ) {
    const outputs = { revision: undefined, mirrors: undefined, notMirrored: undefined };
    const others = { unreachable: undefined, refused: undefined };
    super("Mirrors", name, { ...args, ...outputs, ...others }, opts);
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
    notMirrored: Object.keys(notMirrored[target] ?? {}).length,
  };
}
