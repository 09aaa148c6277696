import type * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { LinkConfig } from "../config/mesh.ts";
import type { Namespaces } from "@linkerd-multicluster/engine/credentials";
import type { ClusterAccess } from "@linkerd-multicluster/engine/kubernetes";
import type { ObservedGateway } from "@linkerd-multicluster/engine/mirroring";
import { LinkAccount } from "./link-account.ts";
import { LinkCredentials } from "./link-credentials.ts";

/** One end of a link. */
export interface LinkEnd {
  /** The runner's access to the cluster. */
  readonly access: ClusterAccess;
  readonly provider: k8s.Provider;
  /** Linkerd and the Link CRD are there once this is. */
  readonly ready: pulumi.Resource;
  /** Whether it could not be read at the start of the run: what exists there stays as it is. */
  readonly unreachable: boolean;
}

export interface LinkSetup {
  readonly config: LinkConfig;
  /**
   * `claim`: that the source is this stack's, which comes before anything is made for it.
   * `revocation`: what ends the source's access to other targets, if anything does.
   */
  readonly source: LinkEnd & {
    readonly claim?: readonly pulumi.Resource[];
    readonly revocation?: readonly pulumi.Resource[];
  };
  /**
   * `apiServer`: URL at which the source reaches the target's API server, if not the kubeconfig's.
   * `awaited`: another stack installs Linkerd there, perhaps at this moment.
   */
  readonly target: LinkEnd & { readonly apiServer?: string; readonly awaited?: boolean };
  readonly namespaces: Namespaces;
}

/**
 * One direction between two clusters: the source's account in the target, its credentials in the
 * source, and the Link resource there. The mirrors that a Link asks for are the source's (Mirrors).
 */
export class Link extends pulumi.ComponentResource {
  /** The link's name, as `east/west`. */
  readonly name: string;
  readonly credentials: LinkCredentials;
  /**
   * The target's gateway as the Link names it, addresses not resolved; unknown until it is there,
   * since undefined stands for a flat network.
   */
  readonly observedGateway: pulumi.Output<ObservedGateway | undefined>;

  constructor(name: string, args: LinkSetup, opts?: pulumi.ComponentResourceOptions) {
    super("linkerd-multicluster:index:Link", name, {}, opts);
    this.name = name;
    const { source, target, namespaces } = args;
    const { spec, mirroring, rotation } = args.config;
    const { apiServer, awaited } = target;
    const { claim = [], revocation = [] } = source;
    const access = new LinkAccount(
      name,
      {
        ...{ spec, mirroring, namespaces, rotation },
        source: source.access,
        sourceUnreachable: source.unreachable,
        target: {
          access: target.access,
          ...(apiServer !== undefined && { apiServer }),
          ...(awaited === true && { awaited }),
        },
        provider: target.provider,
      },
      { parent: this, dependsOn: [target.ready, ...claim] },
    );
    const { provider, unreachable } = source;
    this.credentials = new LinkCredentials(
      name,
      { spec, mirroring, access, namespaces, provider, unreachable },
      { parent: this, dependsOn: [source.ready, ...claim, ...revocation] },
    );
    this.observedGateway = access.facts.apply(({ gateway }) => {
      if (gateway === undefined) return undefined;
      const { addresses, port, identity } = gateway;
      return { addresses, port, identity };
    });
    this.registerOutputs({});
  }
}
