import * as pulumi from "@pulumi/pulumi";
import type { FederatedArgs, Inputs, Outputs } from "../engine/mirroring/reconcile/state.ts";

type Provider = pulumi.dynamic.ResourceProvider<Inputs<FederatedArgs>, Outputs<FederatedArgs>>;

/** Calls of the package by its name, and nothing else, as in mirrors.ts. */
const provider: Provider = {
  async check(olds, news) {
    return (await import("@linkerd-multicluster/engine")).federatedServices.check(olds, news);
  },
  async diff(id, olds, news) {
    return (await import("@linkerd-multicluster/engine")).federatedServices.diff(id, olds, news);
  },
  async create(inputs) {
    return (await import("@linkerd-multicluster/engine")).federatedServices.create(inputs);
  },
  async update(id, olds, news) {
    return (await import("@linkerd-multicluster/engine")).federatedServices.update(id, olds, news);
  },
  async read(id, props) {
    return (await import("@linkerd-multicluster/engine")).federatedServices.read(id, props);
  },
  async delete(id, props) {
    return (await import("@linkerd-multicluster/engine")).federatedServices.delete(id, props);
  },
};

/**
 * Every federated Service of one cluster. Several links feed one federated Service, so it needs a
 * writer that knows them all.
 */
export class FederatedServices extends pulumi.dynamic.Resource {
  /** Goes up with each run that had something to do or to tell. */
  declare readonly revision: pulumi.Output<number>;

  constructor(
    name: string,
    args: pulumi.Inputs & FederatedArgs,
    opts?: pulumi.CustomResourceOptions,
  ) {
    super(
      provider,
      name,
      { ...args, revision: undefined },
      // These say nothing about Services, or only what the links say already.
      { ...opts, hideDiffs: ["__provider", "identities", "links"] },
      "linkerd",
      "FederatedServices",
    );
  }
}
