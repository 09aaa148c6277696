import { defined } from "@linkerd-multicluster/engine/kubernetes";
import { type MirrorsArgs, settingsOf } from "@linkerd-multicluster/engine/mirroring";
import type { MeshConfig, Revoked } from "./mesh.ts";

/**
 * What the mirrors of one source are made from, with `manage: mirrors`; undefined where no link leads
 * into it. A source whose links have all been handed over to Linkerd's controller has one too: it
 * knows by the config that their mirrors stay.
 *
 * @param stack `organization/project/stack`, by which other stacks know whose mirrors these are
 */
export function mirrorsArgs(
  config: MeshConfig,
  source: string,
  stack: string,
): MirrorsArgs | undefined {
  const here = config.links.filter(({ spec }) => spec.source === source);
  if (here.length === 0) return undefined;
  const by = Object.groupBy(here, ({ mirroring }) => mirroring);
  const links = (by.pulumi ?? []).map(({ spec }) => spec);
  const controllerLinks = (by.controller ?? []).map(({ spec }) => spec.target);
  const names = new Set([source, ...links.map(({ target }) => target)]);
  const clusters = [...config.clusters]
    .filter(([name]) => names.has(name))
    .map(([name, { access, uid }]) => [name, { ...access, ...defined({ uid }) }] as const);
  const revokedTargets = [
    ...config.revoked.clusters.keys(),
    ...targetsRevokedFor(source, config.revoked),
  ];
  return {
    ...{ source, stack, clusters: Object.fromEntries(clusters), links: links.map(settingsOf) },
    ...(controllerLinks.length > 0 && { controllerLinks }),
    ...(revokedTargets.length > 0 && { revokedTargets }),
    ...(config.removedLinks.allowDeletions && { allowDeletions: true }),
  };
}

/** Targets of links from a source that are revoked by themselves. */
export function targetsRevokedFor(source: string, { links }: Revoked): string[] {
  return links.filter((link) => link.source === source).map(({ target }) => target);
}
