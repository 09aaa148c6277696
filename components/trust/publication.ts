import * as pulumi from "@pulumi/pulumi";
import type { PublicationInputs } from "@linkerd-multicluster/engine";
import type { Publication, PublicationArgs } from "@linkerd-multicluster/engine/trust";

/** As in mirrors.ts: all that state ever holds is calls of a package, looked up when they run. */
const provider: pulumi.dynamic.ResourceProvider<PublicationInputs, PublicationInputs> = {
  async check(olds, news) {
    return (await import("@linkerd-multicluster/engine")).trustPublications.check(olds, news);
  },
  async diff(id, olds, news) {
    return (await import("@linkerd-multicluster/engine")).trustPublications.diff(id, olds, news);
  },
  async create(inputs) {
    return (await import("@linkerd-multicluster/engine")).trustPublications.create(inputs);
  },
  async update(id, olds, news) {
    return (await import("@linkerd-multicluster/engine")).trustPublications.update(id, olds, news);
  },
  async read(id, props) {
    return (await import("@linkerd-multicluster/engine")).trustPublications.read(id, props);
  },
  async delete() {
    await (await import("@linkerd-multicluster/engine")).trustPublications.delete();
  },
};

/** What the stacks of the clusters are told to trust: the next step, or once more the last one. */
export class TrustPublication extends pulumi.dynamic.Resource {
  declare readonly publication: pulumi.Output<Publication>;

  constructor(
    name: string,
    args: pulumi.Output<PublicationArgs>,
    opts?: pulumi.CustomResourceOptions,
  ) {
    const part = <K extends keyof PublicationArgs>(key: K) => args.apply((all) => all[key]);
    super(
      provider,
      name,
      {
        ...{ own: part("own"), next: part("next"), live: part("live"), publication: undefined },
      },
      { ...opts, hideDiffs: ["__provider", "next", "live", "own"] },
      "linkerd",
      "TrustPublication",
    );
  }
}
