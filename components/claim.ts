import type * as pulumi from "@pulumi/pulumi";
import type { ClusterConfig } from "../config/mesh.ts";
import { EngineResource } from "./engine-resource.ts";

/** That a cluster is this stack's and no other's. Whatever is written to it depends on this. */
export class Claim extends EngineResource {
  /** @param stack `organization/project/stack` */
  constructor(
    name: string,
    { name: cluster, access, uid }: Pick<ClusterConfig, "name" | "access" | "uid">,
    stack: string,
    opts?: pulumi.CustomResourceOptions,
  ) {
    super(
      { served: "claims", type: "Claim", hidden: ["identity"] },
      name,
      { ...{ cluster, stack }, ...access, ...(uid !== undefined && { uid }), revision: undefined },
      opts,
    );
  }
}
