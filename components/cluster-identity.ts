import * as pulumi from "@pulumi/pulumi";
import type { ClusterConfig } from "../config/mesh.ts";
import { EngineResource } from "./engine-resource.ts";

/** Which cluster a name stands for. Whatever is sent to a cluster depends on this. */
export class ClusterIdentity extends EngineResource {
  /** @param uid UID of `kube-system` as read in this run; undefined where it could not be */
  constructor(
    name: string,
    config: Pick<ClusterConfig, "name" | "access" | "uid">,
    uid: string | undefined,
    opts?: pulumi.CustomResourceOptions,
  ) {
    super(
      { served: "clusterIdentities", type: "ClusterIdentity" },
      name,
      {
        cluster: config.name,
        context: config.access.context,
        ...(uid !== undefined && { uid }),
        ...(config.uid !== undefined && { expected: config.uid }),
      },
      opts,
    );
  }
}
