import * as pulumi from "@pulumi/pulumi";
import type { ClusterAccess } from "../engine/kubernetes/kubeconfig.ts";
import type { LinkSpec } from "../engine/mirroring/model/link.ts";
import { settingsOf } from "../engine/mirroring/model/link-settings.ts";
import { accessTo } from "../engine/mirroring/reconcile/survey.ts";
import { LinkAccount } from "./link-account.ts";
import { LinkCredentials } from "./link-credentials.ts";
import type { Namespaces } from "../engine/credentials/objects.ts";
import type { ClusterHandle } from "./clusters.ts";
import type { LinkConfig } from "../config/mesh.ts";
import { Mirrors } from "./mirrors.ts";

/** What it takes to link the clusters, and not only to mirror between them. */
export interface Connection {
  readonly source: ClusterHandle;
  readonly target: ClusterHandle;
  readonly namespaces: Namespaces;
  /** URL at which the source reaches the target's API server, if not the kubeconfig's. */
  readonly apiServer?: string;
}

export interface LinkArgs {
  readonly config: LinkConfig;
  /** Every cluster of the stack by name. */
  readonly clusters: Readonly<Record<string, ClusterAccess>>;
  /** The other links into the same source whose mirrors this program makes. */
  readonly siblings: readonly LinkSpec[];
  /** Absent: the link itself is not this stack's, and only its mirrors are. */
  readonly connection?: Connection;
}

/** One direction between two clusters: the target's exported Services appear in the source. */
export class Link extends pulumi.ComponentResource {
  /** As `east/west`. */
  readonly name: string;
  /** Absent where Linkerd's own controller does the mirroring. */
  readonly mirrors: Mirrors | undefined;
  readonly credentials: LinkCredentials | undefined;

  constructor(name: string, args: LinkArgs, opts?: pulumi.ComponentResourceOptions) {
    super("linkerd-multicluster:index:Link", name, {}, opts);
    this.name = name;
    const { spec, mirroring } = args.config;
    const linked = args.connection && this.#connect(name, args, args.connection);
    this.credentials = linked?.credentials;
    this.mirrors =
      mirroring === "controller"
        ? undefined
        : new Mirrors(
            name,
            {
              link: settingsOf(spec),
              clusters: args.clusters,
              ...(args.siblings.length > 0 && { siblings: args.siblings.map(settingsOf) }),
              ...(linked !== undefined && {
                statusIn: linked.statusIn,
                gatewaySeen: linked.gatewaySeen,
              }),
            },
            { parent: this, dependsOn: linked === undefined ? [] : [linked.credentials] },
          );
    this.registerOutputs({});
  }

  #connect(name: string, args: LinkArgs, connection: Connection) {
    const { spec, mirroring, rotation } = args.config;
    const { source, target, namespaces, apiServer } = connection;
    const reach = accessTo(args, spec.target);
    const access = new LinkAccount(
      name,
      {
        spec,
        mirroring,
        namespaces,
        rotation,
        source: accessTo(args, spec.source),
        target: { access: reach, ...(apiServer !== undefined && { apiServer }) },
        provider: target.provider,
      },
      { parent: this, dependsOn: target.ready },
    );
    const credentials = new LinkCredentials(
      name,
      { spec, mirroring, access, namespaces, provider: source.provider },
      { parent: this, dependsOn: source.ready },
    );
    // Unknown until the gateway is there: undefined would stand for a flat network.
    const gatewaySeen = access.facts.apply(({ gateway }) => {
      if (gateway === undefined) return undefined;
      const { addresses, port, identity } = gateway;
      return { addresses, port, identity };
    });
    return { credentials, statusIn: namespaces.multicluster, gatewaySeen };
  }
}
