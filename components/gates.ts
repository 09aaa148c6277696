import * as pulumi from "@pulumi/pulumi";
import type { Phase } from "@linkerd-multicluster/engine/admitting";
import { omitUndefined } from "@linkerd-multicluster/engine/base";
import type { MeshConfig } from "../config/mesh.ts";
import { gateArgs, ownClusters } from "../config/share.ts";
import { EngineResource } from "./engine-resource.ts";
import { fullStackName } from "./full-stack-name.ts";

/** The policies of a closed gateway. */
export class Gate extends EngineResource {
  declare readonly revision: pulumi.Output<number>;
}

/**
 * A closed gateway has two resources: the first gives access before any mirror appears, and the second takes it once the
 * mirrors are gone, and closes the gateway.
 *
 * @param refused why a run writes nothing to a cluster
 * @param dependsOn returns what has to exist before, such as the gateway itself
 */
export function makeGates(
  config: MeshConfig,
  phase: Phase,
  refused: ReadonlyMap<string, string>,
  { parent, dependsOn }: Dependencies,
): ReadonlyMap<string, Gate> {
  return new Map(
    [...ownClusters(config).keys()].flatMap((name): [string, Gate][] => {
      const args = gateArgs(config, name, fullStackName(), phase);
      if (args === undefined) return [];
      const refusal = omitUndefined({ refused: refused.get(name) });
      const opts = { parent, dependsOn: [...dependsOn(name)] };
      const props = { ...args, ...refusal, revision: undefined };
      return [[name, new Gate("Gate", `${name}/${phase}`, props, opts)]];
    }),
  );
}

interface Dependencies {
  readonly parent: pulumi.Resource;
  readonly dependsOn: (target: string) => readonly pulumi.Resource[];
}
