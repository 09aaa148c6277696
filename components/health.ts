import * as pulumi from "@pulumi/pulumi";
import { EngineResource } from "./engine-resource.ts";
import type { HealthMesh } from "@linkerd-multicluster/engine/health";

export interface HealthInputs {
  readonly mesh: HealthMesh;
  /**
   * Values that change when a run has changed something, such as the `revision` of mirrors: then the
   * mesh is checked, and after a run that left it unhealthy. Never a secret.
   */
  readonly triggers: Readonly<Record<string, pulumi.Input<unknown>>>;
  /**
   * Seconds that the mesh is given to become healthy.
   *
   * @default 30
   */
  readonly wait?: number;
}

/**
 * Checks the mesh at the end of a run: it has to depend on everything else. Prints warnings, and
 * fails the run for errors. A preview checks nothing.
 */
export class Health extends EngineResource {
  constructor(
    name: string,
    args: pulumi.Inputs & HealthInputs,
    opts?: pulumi.CustomResourceOptions,
  ) {
    super({ served: "health", type: "Health", hidden: ["mesh"] }, name, args, opts);
  }
}
