import * as pulumi from "@pulumi/pulumi";
import type { ClaimInputs } from "@linkerd-multicluster/engine";
import type { ClusterConfig } from "../config/mesh.ts";

/** As in mirrors.ts: all that state ever holds is calls of a package, looked up when they run. */
const provider: pulumi.dynamic.ResourceProvider<ClaimInputs, ClaimInputs> = {
  async check(olds, news) {
    return (await import("@linkerd-multicluster/engine")).claims.check(olds, news);
  },
  async diff(id, olds, news) {
    return (await import("@linkerd-multicluster/engine")).claims.diff(id, olds, news);
  },
  async create(inputs) {
    return (await import("@linkerd-multicluster/engine")).claims.create(inputs);
  },
  async update(id, olds, news) {
    return (await import("@linkerd-multicluster/engine")).claims.update(id, olds, news);
  },
  async read(id, props) {
    return (await import("@linkerd-multicluster/engine")).claims.read(id, props);
  },
  async delete(id, props) {
    await (await import("@linkerd-multicluster/engine")).claims.delete(id, props);
  },
};

/** That a cluster is this stack's and no other's. Whatever is written to it depends on this. */
export class Claim extends pulumi.dynamic.Resource {
  /** @param stack `organization/project/stack` */
  constructor(
    name: string,
    { name: cluster, access, uid }: Pick<ClusterConfig, "name" | "access" | "uid">,
    stack: string,
    opts?: pulumi.CustomResourceOptions,
  ) {
    super(
      provider,
      name,
      { ...{ cluster, stack }, ...access, ...(uid !== undefined && { uid }), revision: undefined },
      { ...opts, hideDiffs: ["__provider", "identity"] },
      "linkerd",
      "Claim",
    );
  }
}
