import type * as pulumi from "@pulumi/pulumi";
import type {
  TargetArgs,
  TargetFacts,
  TokenCheckArgs,
} from "@linkerd-multicluster/engine/credentials";
import type { HealthArgs } from "@linkerd-multicluster/engine/health";
import type { ClusterConfig } from "../config/mesh.ts";
import { EngineResource } from "./engine-resource.ts";

/** The dynamic resources of one cluster or link, and of the mesh as a whole. Mirrors and revocations have files of their own. */

/** The claim that a cluster is this stack's and no other's. Whatever is written to it depends on this. */
export class Claim extends EngineResource {
  /** @param stack `organization/project/stack` */
  constructor(
    name: string,
    { name: cluster, access, uid }: Pick<ClusterConfig, "name" | "access" | "uid">,
    stack: string,
    opts?: pulumi.CustomResourceOptions,
  ) {
    super(
      { type: "Claim", hidden: ["identity"] },
      name,
      { ...{ cluster, stack }, ...access, ...(uid !== undefined && { uid }), revision: undefined },
      opts,
    );
  }
}

/** The cluster that a name stands for. Whatever is sent to a cluster depends on this. */
export class ClusterIdentity extends EngineResource {
  /** @param uid UID of `kube-system` as read in this run; undefined where it could not be */
  constructor(
    name: string,
    config: Pick<ClusterConfig, "name" | "access" | "uid">,
    uid: string | undefined,
    opts?: pulumi.CustomResourceOptions,
  ) {
    super(
      { type: "ClusterIdentity" },
      name,
      {
        cluster: config.name,
        context: config.access.context,
        ...(uid !== undefined && { uid }),
        ...(config.uid !== undefined && { expected: config.uid }),
      },
      opts,
    );
  }
}

/**
 * The facts that a link has to know of its target, read there at every run. Unknown in a preview where it
 * does not exist yet; kept from the run before where the target can't be reached.
 */
export class LinkTarget extends EngineResource {
  declare readonly facts: pulumi.Output<TargetFacts>;

  constructor(name: string, args: pulumi.Inputs & TargetArgs, opts?: pulumi.CustomResourceOptions) {
    const props = { ...args, facts: undefined };
    super({ type: "LinkTarget" }, name, props, opts);
  }
}

export type TokenCheckInputs = Omit<TokenCheckArgs, "secret" | "rules"> & {
  readonly secret: pulumi.Input<string>;
  readonly rules: pulumi.Input<TokenCheckArgs["rules"]>;
};

/** Checks that the token in a Secret works. Gets the Secret's name, never the token. */
export class TokenCheck extends EngineResource {
  constructor(
    name: string,
    args: pulumi.Inputs & TokenCheckInputs,
    opts?: pulumi.CustomResourceOptions,
  ) {
    super({ type: "TokenCheck" }, name, args, opts);
  }
}

export type HealthInputs = Omit<HealthArgs, "triggers"> & {
  readonly triggers: Readonly<Record<string, pulumi.Input<unknown>>>;
};

/**
 * Checks the mesh at the end of a run: it has to depend on everything else. Prints warnings, and
 * fails the run for errors. A preview checks nothing.
 */
export class Health extends EngineResource {
  constructor(
    name: string,
    args: pulumi.Inputs & HealthInputs,
    opts?: pulumi.CustomResourceOptions,
  ) {
    super({ type: "Health", hidden: ["mesh"] }, name, args, opts);
  }
}
