import { isDeepStrictEqual } from "node:util";
import * as pulumi from "@pulumi/pulumi";
import type { MeshConfig } from "../config/mesh.ts";
import { revokedTargetsOf } from "./revocation.ts";
import { EngineResource } from "./engine-resource.ts";
import {
  type MirrorsArgs,
  type ObservedGateway,
  settingsOf,
  takenLabels,
} from "@linkerd-multicluster/engine/mirroring";

/**
 * What the mirrors of one source are made from, with `manage: mirrors`; undefined where no link leads
 * into it. A source whose links have all been handed over to Linkerd's controller has one too: it
 * knows by the config that their mirrors stay.
 *
 * @param stack `project/stack`, by which other stacks know whose mirrors these are
 */
export function mirrorsArgs(
  config: MeshConfig,
  source: string,
  stack: string,
): MirrorsArgs | undefined {
  const here = config.links.filter(({ spec }) => spec.source === source);
  const links = here.filter(({ mirroring }) => mirroring === "pulumi").map(({ spec }) => spec);
  if (here.length === 0) return undefined;
  const names = new Set([source, ...links.map(({ target }) => target)]);
  const clusters = [...config.clusters].flatMap(([name, { access, uid }]) =>
    names.has(name) ? [[name, { ...access, ...(uid !== undefined && { uid }) }] as const] : [],
  );
  const controllerLinks = here
    .filter(({ mirroring }) => mirroring === "controller")
    .map(({ spec }) => spec.target);
  const taken = takenLabels(config.links.map(({ spec }) => spec));
  const revokedTargets = revokedTargetsOf(source, config.revoked);
  return {
    ...{ source, stack, clusters: Object.fromEntries(clusters), links: links.map(settingsOf) },
    ...(controllerLinks.length > 0 && { controllerLinks }),
    ...(!isDeepStrictEqual(taken, takenLabels(links)) && { takenLabels: taken }),
    ...(revokedTargets.length > 0 && { revokedTargets }),
    ...(config.removedLinks.allowDeletions && { allowDeletions: true }),
  };
}

export type MirrorsInputs = Omit<MirrorsArgs, "observedGateways"> & {
  /** By target; unknown in the preview of a run that is to make the gateway. */
  readonly observedGateways?: Readonly<Record<string, pulumi.Input<ObservedGateway | undefined>>>;
};

/** These say nothing about mirrors, or only what `links` and `gateways` say already. */
const hidden = [...["identities", "observedGateways", "formerStacks", "missing"], "takenLabels"];

/** Everything that is mirrored into one cluster: a single resource, however many links lead there. */
export class Mirrors extends EngineResource {
  /** Goes up with each run that has something to do or to tell. */
  declare readonly revision: pulumi.Output<number>;

  constructor(
    name: string,
    args: pulumi.Inputs & MirrorsInputs,
    opts?: pulumi.CustomResourceOptions,
  ) {
    super(
      { served: "mirrors", type: "Mirrors", hidden },
      name,
      { ...args, revision: undefined },
      opts,
    );
  }
}
