import * as pulumi from "@pulumi/pulumi";
import type { MeshConfig } from "../config/mesh.ts";
import type { TrustExports } from "@linkerd-multicluster/engine/trust";
import { ClusterIdentity } from "./cluster-provider.ts";
import type { Preflight } from "./preflight.ts";
import { TrustRoot, trustRootArgs } from "./trust-root.ts";

/**
 * The trust root of a mesh whose clusters other stacks have. It reads all clusters, writes to none, and
 * exports what each is to trust and issue with: nothing of the trust anchors' keys.
 */
export class TrustStack extends pulumi.ComponentResource {
  readonly trust: pulumi.Output<TrustExports["trust"]>;
  /** Secret. */
  readonly issuerKeys: pulumi.Output<TrustExports["issuerKeys"]>;

  constructor(
    name: string,
    config: MeshConfig,
    preflight: Preflight,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super("linkerd-multicluster:index:TrustStack", name, {}, opts);
    if (config.trust.kind !== "generated") throw new Error("manage: trust generates the trust");
    const { unknownAnchors } = config.trust;
    // An empty cluster in the place of one that is meshed would look as if there were nothing to break.
    const identities = [...config.clusters].map(
      ([cluster, each]) =>
        new ClusterIdentity(cluster, each, preflight.uids.get(cluster), { parent: this }),
    );
    const root = new TrustRoot(
      "trust",
      { ...trustRootArgs(config, preflight), publishedAfter: identities },
      { parent: this },
    );
    const issuers = [...config.clusters.keys()].map(
      (cluster) => [cluster, root.issuerFor(cluster)] as const,
    );
    const shares = issuers.map(([cluster, { certPem: issuer }]) => {
      return [cluster, { bundle: root.bundleFor(cluster), issuer }] as const;
    });
    const keys = issuers.map(([cluster, { keyPem }]) => [cluster, keyPem] as const);
    this.trust = pulumi
      .all([root.knownPem, pulumi.output(Object.fromEntries(shares))])
      .apply(([anchors, clusters]) => ({ anchors, unknownAnchors, clusters }));
    this.issuerKeys = pulumi.secret(Object.fromEntries(keys));
    this.registerOutputs({});
  }
}
