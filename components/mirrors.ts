import * as pulumi from "@pulumi/pulumi";
import type { Inputs, MirrorsArgs, Outputs } from "../engine/mirroring/reconcile/state.ts";

/**
 * The dynamic provider, and all of it that state ever holds: calls of a package that is looked up
 * by name when they run. So a later version of that package serves mirrors made today.
 */
const provider: pulumi.dynamic.ResourceProvider<Inputs<MirrorsArgs>, Outputs<MirrorsArgs>> = {
  async check(olds, news) {
    return (await import("@linkerd-multicluster/engine")).mirrors.check(olds, news);
  },
  async diff(id, olds, news) {
    return (await import("@linkerd-multicluster/engine")).mirrors.diff(id, olds, news);
  },
  async create(inputs) {
    return (await import("@linkerd-multicluster/engine")).mirrors.create(inputs);
  },
  async update(id, olds, news) {
    return (await import("@linkerd-multicluster/engine")).mirrors.update(id, olds, news);
  },
  async read(id, props) {
    return (await import("@linkerd-multicluster/engine")).mirrors.read(id, props);
  },
  async delete(id, props) {
    return (await import("@linkerd-multicluster/engine")).mirrors.delete(id, props);
  },
};

interface GatewaySeen {
  readonly gatewaySeen?: pulumi.Input<MirrorsArgs["gatewaySeen"]>;
}

/** Every mirror of one link: a single resource, however many Services are exported. */
export class Mirrors extends pulumi.dynamic.Resource {
  /** Exported Services that have no mirror, and why. */
  declare readonly notMirrored: pulumi.Output<Readonly<Record<string, string>> | undefined>;
  /** Goes up with each run that had something to do or to tell. */
  declare readonly revision: pulumi.Output<number>;

  /** @param args `gatewaySeen` may be unknown in a preview, which then shows new mirrors alone. */
  constructor(
    name: string,
    args: pulumi.Inputs & Omit<MirrorsArgs, "gatewaySeen"> & GatewaySeen,
    opts?: pulumi.CustomResourceOptions,
  ) {
    super(
      provider,
      name,
      { ...args, notMirrored: undefined, revision: undefined },
      // These say nothing about mirrors, or only what `link` and `gateway` say already.
      { ...opts, hideDiffs: ["__provider", "identities", "siblings", "gatewaySeen"] },
      "linkerd",
      "Mirrors",
    );
  }
}
