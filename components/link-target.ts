import * as pulumi from "@pulumi/pulumi";
import { EngineResource } from "./engine-resource.ts";
import type { TargetArgs, TargetFacts } from "@linkerd-multicluster/engine/credentials";

/**
 * What a link has to know of its target, read there at every run. Unknown in a preview where it
 * does not exist yet; kept from the run before where the target can't be reached.
 */
export class LinkTarget extends EngineResource {
  declare readonly facts: pulumi.Output<TargetFacts>;

  constructor(name: string, args: pulumi.Inputs & TargetArgs, opts?: pulumi.CustomResourceOptions) {
    const props = { ...args, facts: undefined };
    super({ served: "linkTargets", type: "LinkTarget" }, name, props, opts);
  }
}
