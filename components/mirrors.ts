import * as pulumi from "@pulumi/pulumi";
import { EngineResource } from "./engine-resource.ts";
import type { MirrorsArgs, ObservedGateway } from "@linkerd-multicluster/engine/mirroring";

export type MirrorsInputs = Omit<MirrorsArgs, "observedGateways"> & {
  /** The gateways by target; unknown in the preview of a run that is to make one. */
  readonly observedGateways?: Readonly<Record<string, pulumi.Input<ObservedGateway | undefined>>>;
};

/** One line for each mirror or Service, by its key, by the link's target or `federated`. */
export type Lists = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** These say nothing about mirrors, or only what `links` and `gateways` say already. */
const hidden = ["identities", "observedGateways", "formerStacks", "missing", "listed"];

/** The mirrors in one cluster: a single resource, however many links lead there. */
export class Mirrors extends EngineResource {
  /** Goes up with each run that has something to do or to tell. */
  declare readonly revision: pulumi.Output<number>;
  /** The mirrors by part, and why others are not; undefined unless `listed` asks for them. */
  declare readonly mirrors: pulumi.Output<Lists | undefined>;
  declare readonly notMirrored: pulumi.Output<Lists | undefined>;

  constructor(
    name: string,
    args: pulumi.Inputs & MirrorsInputs,
    opts?: pulumi.CustomResourceOptions,
  ) {
    super(
      { type: "Mirrors", hidden },
      name,
      { ...args, revision: undefined, mirrors: undefined, notMirrored: undefined },
      opts,
    );
  }
}
