import * as pulumi from "@pulumi/pulumi";
import {
  type Step,
  type PublicationArgs,
  type TrustExports,
  withoutRefused,
} from "@linkerd-multicluster/engine/trust";
import type { GeneratedTrust, MeshConfig } from "../config/mesh.ts";
import { ClusterIdentity } from "./cluster-provider.ts";
import { identityOf, movedClusters } from "./clusters.ts";
import type { Preflight } from "./preflight.ts";
import { guardRemovals } from "./removal-guard.ts";
import { EngineResource } from "./engine-resource.ts";
import type { IssuanceArgs } from "./trust/issuance.ts";
import { TrustRoot, trustRootArgs } from "./trust-root.ts";

/** The clusters belong to other stacks: it reads all and writes to none. It never exports a trust anchor's key. */
export class TrustStack extends pulumi.ComponentResource {
  readonly trust: pulumi.Output<TrustExports["trust"]>;
  readonly issuerKeys: pulumi.Output<TrustExports["issuerKeys"]>;

  constructor(
    name: string,
    config: MeshConfig,
    preflight: Preflight,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super("linkerd-multicluster:index:TrustStack", name, {}, opts);
    if (config.trust.kind !== "generated") throw new Error("manage: trust generates the trust");
    // They are separate outputs, because one that contains a secret is a secret as a whole.
    const exported = this.#exports(config, config.trust, preflight);
    this.trust = pulumi.output(exported.then(({ trust }) => trust));
    this.issuerKeys = pulumi.secret(exported.then(({ issuerKeys }) => issuerKeys));
    this.registerOutputs({});
  }

  async #exports(
    config: MeshConfig,
    { unknownAnchors }: GeneratedTrust,
    preflight: Preflight,
  ): Promise<{ readonly [Name in keyof TrustExports]: pulumi.Output<TrustExports[Name]> }> {
    await guardRemovals(config, this);
    const identities = [...config.clusters].map(([cluster, each]) => {
      const known = identityOf(cluster, preflight);
      const identity = new ClusterIdentity(cluster, each, known, { parent: this });
      return [cluster, identity] as const;
    });
    // A name that now leads to an empty cluster would look as if there were no traffic to break.
    const refused = new Map([...preflight.refused, ...(await movedClusters(identities))]);
    const trust = withoutRefused(refused.keys(), preflight.trust);
    const dependsOn = identities.map(([, identity]) => identity);
    const publish: IssuanceArgs["publish"] = (args, opts) =>
      new TrustPublication("trust", args, { ...opts, dependsOn }).publication;
    const args = { ...trustRootArgs(config, { ...preflight, trust }), publish };
    const root = new TrustRoot("trust", args, { parent: this });
    root.issuance.refused.apply((also) => {
      for (const why of [...refused.values(), ...Object.values(also)]) root.say("error", why);
    });
    const issuers = [...config.clusters.keys()].map(
      (cluster) => [cluster, root.issuerFor(cluster)] as const,
    );
    const shares = issuers.map(([cluster, { certPem: issuer }]) => {
      return [cluster, { bundle: root.bundleFor(cluster), issuer }] as const;
    });
    const keys = issuers.map(([cluster, { keyPem }]) => [cluster, keyPem] as const);
    return {
      trust: pulumi
        .all([root.issuance.knownPem, pulumi.output(Object.fromEntries(shares))])
        .apply(([anchors, all]) => {
          const planned = Object.entries(all).filter(([, { bundle }]) => bundle !== "");
          return { anchors, unknownAnchors, clusters: Object.fromEntries(planned) };
        }),
      issuerKeys: pulumi.output(Object.fromEntries(keys)),
    };
  }
}

/** Publishes the next step, or the last one again. */
class TrustPublication extends EngineResource {
  declare readonly publication: pulumi.Output<Step>;

  constructor(
    name: string,
    args: pulumi.Output<PublicationArgs>,
    opts: pulumi.CustomResourceOptions,
  ) {
    const { own, known, next, live } = args;
    super("TrustPublication", name, { own, known, next, live, publication: undefined }, opts);
  }
}
