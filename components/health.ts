import * as pulumi from "@pulumi/pulumi";
import type { HealthArgs, HealthMesh } from "@linkerd-multicluster/engine/health";

/** As in mirrors.ts: all that state ever holds is calls of a package, looked up when they run. */
const provider: pulumi.dynamic.ResourceProvider<HealthArgs, HealthArgs> = {
  async check(olds, news) {
    return (await import("@linkerd-multicluster/engine")).health.check(olds, news);
  },
  async diff(id, olds, news) {
    return (await import("@linkerd-multicluster/engine")).health.diff(id, olds, news);
  },
  async create(inputs) {
    return (await import("@linkerd-multicluster/engine")).health.create(inputs);
  },
  async update(id, olds, news) {
    return (await import("@linkerd-multicluster/engine")).health.update(id, olds, news);
  },
  async read(id, props) {
    return (await import("@linkerd-multicluster/engine")).health.read(id, props);
  },
  async delete() {
    await (await import("@linkerd-multicluster/engine")).health.delete();
  },
};

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
export class Health extends pulumi.dynamic.Resource {
  constructor(
    name: string,
    args: pulumi.Inputs & HealthInputs,
    opts?: pulumi.CustomResourceOptions,
  ) {
    super(
      provider,
      name,
      { ...args },
      { ...opts, hideDiffs: ["__provider", "mesh"] },
      "linkerd",
      "Health",
    );
  }
}
