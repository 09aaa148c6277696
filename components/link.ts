import * as pulumi from "@pulumi/pulumi";
import type { ObservedGateway } from "@linkerd-multicluster/engine/mirroring";
import { LinkAccount, type LinkAccountArgs, type LinkEnd } from "./link-account.ts";
import { LinkCredentials } from "./link-credentials.ts";

export interface LinkArgs extends LinkAccountArgs {
  readonly source: LinkEnd;
  readonly target: LinkEnd;
  /** What ends the source's access to other targets, if anything does. */
  readonly revocation: readonly pulumi.Resource[];
}

/**
 * One direction between two clusters: the source's account in the target, its credentials in the
 * source, and the Link resource there. The mirrors that a Link asks for are the source's (Mirrors).
 */
export class Link extends pulumi.ComponentResource {
  /** The link's name, as `east/west`. */
  readonly name: string;
  readonly target: string;
  readonly credentials: LinkCredentials;
  /**
   * The target's gateway as the Link names it, addresses not resolved; unknown until it is there,
   * since undefined stands for a flat network.
   */
  readonly observedGateway: pulumi.Output<ObservedGateway | undefined>;

  constructor(name: string, args: LinkArgs, opts?: pulumi.ComponentResourceOptions) {
    super("linkerd-multicluster:index:Link", name, {}, opts);
    this.name = name;
    this.target = args.spec.target;
    const { source, target, revocation } = args;
    const account = new LinkAccount(name, args, {
      parent: this,
      dependsOn: [target.ready],
    });
    this.credentials = new LinkCredentials(
      name,
      { ...args, account },
      { parent: this, dependsOn: [source.ready, ...revocation] },
    );
    this.observedGateway = account.facts.apply(({ gateway }) => {
      if (gateway === undefined) return undefined;
      const { addresses, port, identity } = gateway;
      return { addresses, port, identity };
    });
    this.registerOutputs({});
  }
}
