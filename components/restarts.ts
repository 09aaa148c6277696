import * as pulumi from "@pulumi/pulumi";
import { omitUndefined } from "@linkerd-multicluster/engine/base";
import type { RestartArgs } from "@linkerd-multicluster/engine/restarts";
import type { MeshConfig } from "../config/mesh.ts";
import { ownClusters } from "../config/share.ts";
import type { PreparedClusters } from "./clusters.ts";
import { EngineResource, type InputsOf } from "./engine-resource.ts";
import type { Preflight } from "./preflight.ts";

export class Restarts extends EngineResource {
  /** It increases with each run that restarts something. */
  declare readonly revision: pulumi.Output<number>;
}

/**
 * Restarts workloads once everything else is done, since a workload that doesn't come up fails the run.
 *
 * @param reached are neither refused nor unreachable
 */
export function makeRestarts(
  {
    config,
    preflight,
  }: { readonly config: MeshConfig; readonly preflight?: Preflight | undefined },
  { issuance }: PreparedClusters,
  reached: ReadonlyMap<string, unknown>,
  opts: pulumi.CustomResourceOptions,
): readonly Restarts[] {
  if (!config.restart || preflight === undefined || issuance === undefined) return [];
  const { linkerdNamespace, multiclusterNamespace, trust } = config;
  const clusters = [...ownClusters(config)].filter(([name]) => reached.has(name));
  const args: InputsOf<RestartArgs> = {
    clusters: Object.fromEntries(
      clusters.map(([name, { access }]) => {
        return [name, { ...access, ...omitUndefined({ uid: preflight.uids.get(name) }) }] as const;
      }),
    ),
    away: [...ownClusters(config).keys()].filter((name) => !reached.has(name)),
    linkerdNamespace,
    multiclusterNamespace,
    ignored: "ignorePods" in trust ? trust.ignorePods : [],
    bundles: issuance.outputs.apply((plan) =>
      Object.fromEntries(clusters.map(([name]) => [name, plan.clusters[name]?.bundlePem ?? ""])),
    ),
    leaving: issuance.leaving,
  };
  return [new Restarts("Restarts", "restarts", { ...args, revision: undefined }, opts)];
}
