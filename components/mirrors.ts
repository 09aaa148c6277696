import * as pulumi from "@pulumi/pulumi";
import type { MeshConfig } from "../config/mesh.ts";
import { revokedTargetsOf } from "./revocation.ts";
import {
  type Inputs,
  type MirrorsArgs,
  type ObservedGateway,
  type Outputs,
  selectedElsewhere,
  settingsOf,
} from "@linkerd-multicluster/engine/mirroring";

/**
 * The dynamic provider, and all of it that state ever holds: calls of a package that is looked up
 * by name when they run. So a later version of that package serves mirrors made today.
 */
const provider: pulumi.dynamic.ResourceProvider<Inputs, Outputs> = {
  async check(olds, news) {
    return (await import("@linkerd-multicluster/engine")).mirrors.check(olds, news);
  },
  async diff(id, olds, news) {
    return (await import("@linkerd-multicluster/engine")).mirrors.diff(id, olds, news);
  },
  async create(inputs) {
    return (await import("@linkerd-multicluster/engine")).mirrors.create(inputs);
  },
  async update(id, olds, news) {
    return (await import("@linkerd-multicluster/engine")).mirrors.update(id, olds, news);
  },
  async read(id, props) {
    return (await import("@linkerd-multicluster/engine")).mirrors.read(id, props);
  },
  async delete(id, props) {
    return (await import("@linkerd-multicluster/engine")).mirrors.delete(id, props);
  },
};

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
  const elsewhere = selectedElsewhere(
    links,
    config.links.map(({ spec }) => spec),
  );
  const revokedTargets = revokedTargetsOf(source, config.revoked);
  return {
    ...{ source, stack, clusters: Object.fromEntries(clusters), links: links.map(settingsOf) },
    ...(controllerLinks.length > 0 && { controllerLinks }),
    ...(elsewhere.length > 0 && { selectedElsewhere: elsewhere }),
    ...(revokedTargets.length > 0 && { revokedTargets }),
    ...(config.removedLinks.allowDeletions && { allowDeletions: true }),
  };
}

export type MirrorsInputs = Omit<MirrorsArgs, "observedGateways"> & {
  /** By target; unknown in the preview of a run that is to make the gateway. */
  readonly observedGateways?: Readonly<Record<string, pulumi.Input<ObservedGateway | undefined>>>;
};

/** Everything that is mirrored into one cluster: a single resource, however many links lead there. */
export class Mirrors extends pulumi.dynamic.Resource {
  /** Goes up with each run that has something to do or to tell. */
  declare readonly revision: pulumi.Output<number>;

  constructor(
    name: string,
    args: pulumi.Inputs & MirrorsInputs,
    opts?: pulumi.CustomResourceOptions,
  ) {
    super(
      provider,
      name,
      { ...args, revision: undefined },
      // These say nothing about mirrors, or only what `links` and `gateways` say already.
      {
        ...opts,
        hideDiffs: [
          ...["__provider", "identities", "observedGateways", "formerStacks", "missedPods"],
          "selectedElsewhere",
        ],
      },
      "linkerd",
      "Mirrors",
    );
  }
}
