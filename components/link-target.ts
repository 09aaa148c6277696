import * as pulumi from "@pulumi/pulumi";
import type {
  TargetArgs,
  TargetFacts,
  TargetInputs,
  TargetOutputs,
} from "@linkerd-multicluster/engine/credentials";

/** As in mirrors.ts: all that state ever holds is calls of a package, looked up when they run. */
const provider: pulumi.dynamic.ResourceProvider<TargetInputs, TargetOutputs> = {
  async check(olds, news) {
    return (await import("@linkerd-multicluster/engine")).linkTargets.check(olds, news);
  },
  async diff(id, olds, news) {
    return (await import("@linkerd-multicluster/engine")).linkTargets.diff(id, olds, news);
  },
  async create(inputs) {
    return (await import("@linkerd-multicluster/engine")).linkTargets.create(inputs);
  },
  async update(id, olds, news) {
    return (await import("@linkerd-multicluster/engine")).linkTargets.update(id, olds, news);
  },
  async read(id, props) {
    return (await import("@linkerd-multicluster/engine")).linkTargets.read(id, props);
  },
  async delete() {
    await (await import("@linkerd-multicluster/engine")).linkTargets.delete();
  },
};

/**
 * What a link has to know of its target, read there at every run. Unknown in a preview where it
 * does not exist yet; kept from the run before where the target can't be reached.
 */
export class LinkTarget extends pulumi.dynamic.Resource {
  declare readonly facts: pulumi.Output<TargetFacts>;

  constructor(name: string, args: pulumi.Inputs & TargetArgs, opts?: pulumi.CustomResourceOptions) {
    super(
      provider,
      name,
      { ...args, facts: undefined },
      { ...opts, hideDiffs: ["__provider"] },
      "linkerd",
      "LinkTarget",
    );
  }
}
