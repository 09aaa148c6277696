import { type MirrorsArgs, settingsOf } from "@linkerd-multicluster/engine/mirroring";
import type { MeshConfig, Revoked } from "./mesh.ts";

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
  const revokedTargets = revokedTargetsOf(source, config.revoked);
  return {
    ...{ source, stack, clusters: Object.fromEntries(clusters), links: links.map(settingsOf) },
    ...(controllerLinks.length > 0 && { controllerLinks }),
    ...(revokedTargets.length > 0 && { revokedTargets }),
    ...(config.removedLinks.allowDeletions && { allowDeletions: true }),
  };
}

/** Targets whose Services a source no longer mirrors because the link or the target is revoked. */
function revokedTargetsOf(source: string, revoked: Revoked): string[] {
  return [...revoked.clusters.keys(), ...targetsRevokedFor(source, revoked)];
}

/** Targets of links from a source that are revoked by themselves. */
export function targetsRevokedFor(source: string, { links }: Revoked): string[] {
  return links.filter((link) => link.source === source).map(({ target }) => target);
}
