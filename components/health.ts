import * as pulumi from "@pulumi/pulumi";
import type { HealthArgs } from "@linkerd-multicluster/engine/health";
import type { MeshConfig } from "../config/mesh.ts";
import { declaredMesh } from "../config/share.ts";
import type { InstalledCluster } from "./cluster.ts";
import { EngineResource, type InputsOf } from "./engine-resource.ts";
import { fullStackName } from "./full-stack-name.ts";
import type { Gate } from "./gates.ts";
import type { Link } from "./link.ts";
import { LinkerdCliCheck } from "./linkerd-cli-check.ts";
import type { Mirrors } from "./mirrors.ts";
import type { Restarts } from "./restarts.ts";

interface Checking {
  /** The run fails in the end for these reasons. */
  readonly refused: readonly string[];
  /** The mesh is checked again if one of them changes. */
  readonly triggers: Readonly<Record<string, pulumi.Output<unknown>>>;
  readonly parent: pulumi.Resource;
  readonly dependsOn: pulumi.Resource[];
}

/** Checks the mesh once everything is done. A preview checks nothing. */
export function makeHealth(
  config: MeshConfig,
  { refused, triggers, parent, dependsOn }: Checking,
): EngineResource {
  const mesh = declaredMesh(config, fullStackName());
  const args: InputsOf<HealthArgs> = {
    mesh: JSON.stringify(mesh),
    triggers,
    ...(refused.length > 0 && { refused }),
  };
  const health = new EngineResource("Health", "checks", args, { parent, dependsOn });
  if (config.linkerdCheck) {
    // An unreachable cluster comes last in a run. The list must not change because of that, or every check would run again.
    const sorted = Object.entries(triggers).sort(([one], [other]) => (one < other ? -1 : 1));
    new LinkerdCliCheck(
      "linkerd-check",
      { mesh, triggers: pulumi.all(sorted.map(([, trigger]) => trigger)) },
      { parent, dependsOn: [...dependsOn, health] },
    );
  }
  return health;
}

/** Returns values that change with each run that has changed something. */
export function revisionsOf(
  clusters: ReadonlyMap<string, InstalledCluster>,
  links: readonly Link[],
  mirrors: ReadonlyMap<string, Mirrors>,
  restarts: readonly Restarts[],
  gates: ReadonlyMap<string, Gate>,
) {
  return Object.fromEntries<pulumi.Output<unknown>>([
    ...[...clusters].flatMap(([name, { revision }]) =>
      revision === undefined ? [] : [[name, revision] as const],
    ),
    ...links.map(({ name, credentials }) => [`${name}/credentials`, credentials.revision] as const),
    ...[...mirrors].map(([source, { revision }]) => [`${source}/mirrors`, revision] as const),
    ...[...gates].map(([target, { revision }]) => [`${target}/gate`, revision] as const),
    ...restarts.map(({ revision }) => ["restarts", revision] as const),
  ]);
}
