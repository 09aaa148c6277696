import type * as pulumi from "@pulumi/pulumi";
import type { Publication, PublicationArgs } from "@linkerd-multicluster/engine/trust";
import { EngineResource } from "../engine-resource.ts";

/** What the stacks of the clusters are told to trust: the next step, or once more the last one. */
export class TrustPublication extends EngineResource {
  declare readonly publication: pulumi.Output<Publication>;

  constructor(
    name: string,
    args: pulumi.Output<PublicationArgs>,
    opts?: pulumi.CustomResourceOptions,
  ) {
    const part = <K extends keyof PublicationArgs>(key: K) => args.apply((all) => all[key]);
    super(
      {
        served: "trustPublications",
        type: "TrustPublication",
        hidden: ["next", "live", "own", "known"],
      },
      name,
      {
        ...{ own: part("own"), known: part("known") },
        ...{ next: part("next"), live: part("live"), publication: undefined },
      },
      opts,
    );
  }
}
