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
    const names = [...config.clusters.keys()];
    const issuers = names.map((cluster) => [cluster, root.issuerFor(cluster)] as const);
    this.trust = pulumi
      .all([
        root.knownPem,
        pulumi.all(names.map((cluster) => root.bundleFor(cluster))),
        pulumi.all(issuers.map(([, { certPem }]) => certPem)),
      ])
      .apply(([anchors, bundles, certificates]) => ({
        ...{ anchors, unknownAnchors },
        clusters: Object.fromEntries(
          names.map((cluster, index) => [
            cluster,
            { bundle: bundles[index] ?? "", issuer: certificates[index] ?? "" },
          ]),
        ),
      }));
    this.issuerKeys = pulumi.secret(
      pulumi
        .all(issuers.map(([, { keyPem }]) => keyPem))
        .apply((keys) =>
          Object.fromEntries(names.map((cluster, index) => [cluster, keys[index] ?? ""])),
        ),
    );
    this.registerOutputs({});
  }
}
