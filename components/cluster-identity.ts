import * as pulumi from "@pulumi/pulumi";
import type { ClusterConfig } from "../config/mesh.ts";
import type { IdentityInputs } from "@linkerd-multicluster/engine";

/** As in mirrors.ts: all that state ever holds is calls of a package, looked up when they run. */
const provider: pulumi.dynamic.ResourceProvider<IdentityInputs, IdentityInputs> = {
  async check(olds, news) {
    return (await import("@linkerd-multicluster/engine")).clusterIdentities.check(olds, news);
  },
  async diff(id, olds, news) {
    return (await import("@linkerd-multicluster/engine")).clusterIdentities.diff(id, olds, news);
  },
  async create(inputs) {
    return (await import("@linkerd-multicluster/engine")).clusterIdentities.create(inputs);
  },
  async update(id, olds, news) {
    return (await import("@linkerd-multicluster/engine")).clusterIdentities.update(id, olds, news);
  },
  async read(id, props) {
    return (await import("@linkerd-multicluster/engine")).clusterIdentities.read(id, props);
  },
  async delete() {
    await (await import("@linkerd-multicluster/engine")).clusterIdentities.delete();
  },
};

/** Which cluster a name stands for. Whatever is sent to a cluster depends on this. */
export class ClusterIdentity extends pulumi.dynamic.Resource {
  /** @param uid UID of `kube-system` as read in this run; undefined where it could not be */
  constructor(
    name: string,
    config: Pick<ClusterConfig, "name" | "access" | "uid">,
    uid: string | undefined,
    opts?: pulumi.CustomResourceOptions,
  ) {
    super(
      provider,
      name,
      {
        cluster: config.name,
        context: config.access.context,
        ...(uid !== undefined && { uid }),
        ...(config.uid !== undefined && { expected: config.uid }),
      },
      { ...opts, hideDiffs: ["__provider"] },
      "linkerd",
      "ClusterIdentity",
    );
  }
}
