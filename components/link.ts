import * as pulumi from "@pulumi/pulumi";
import type { ObservedGateway } from "@linkerd-multicluster/engine/mirroring";
import { LinkAccount, type LinkAccountArgs, type LinkEnd } from "./link-account.ts";
import { LinkCredentials } from "./link-credentials.ts";

export interface LinkArgs extends LinkAccountArgs {
  readonly source: LinkEnd;
  readonly target: LinkEnd;
  /** The revocation of the source's access to other targets, if there is one. */
  readonly revocation: readonly pulumi.Resource[];
}

/**
 * A link from a source to a target: the source's account in the target, its credentials in the source, and the Link
 * resource there. Mirrors belong to the source (Mirrors).
 */
export class Link extends pulumi.ComponentResource {
  /** The link's key, such as `east/west`. */
  readonly name: string;
  readonly target: string;
  readonly credentials: LinkCredentials;
  /**
   * The target's gateway as the Link names it, with unresolved addresses. It is unknown until the gateway exists,
   * because undefined means a flat network.
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
