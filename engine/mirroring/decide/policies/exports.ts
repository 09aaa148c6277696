import { isDnsLabel } from "../../../kubernetes/objects/names.ts";
import { printable } from "../../../kubernetes/objects/printable.ts";
import {
  type EndpointPort,
  keyOf,
  type Service,
  type ServicePort,
} from "../../../kubernetes/objects/objects.ts";
import { listed } from "../../../base/message.ts";
import type { LinkSpec } from "../../../model/link.ts";
import type { LinkObservation } from "../../../model/observation.ts";
import { portKey } from "../../../model/narrowing.ts";
import type { ClusterSnapshot } from "../../../model/snapshot.ts";
import { exportAnnotation } from "../../../model/vocabulary.ts";
import { valueIn } from "../../../base/result.ts";
import { exportMode, fits, matchesSelector } from "../../../model/selection.ts";

/**
 * Annotations of an exported Service say which clusters may import it, and which of its ports. Links can only narrow
 * that. A list that can't be read allows nobody anything, since it was written to restrict.
 */

export function listedIn(
  { metadata: { annotations = {} } }: Service,
  what: keyof typeof exportAnnotation,
): readonly string[] | undefined {
  return annotations[exportAnnotation[what]]?.split(",").map((entry) => entry.trim());
}

export function notListed(service: Service, { source, target, privateUnlessListed }: LinkSpec) {
  const clusters = listedIn(service, "clusters");
  if (clusters === undefined)
    return privateUnlessListed
      ? `${target} has privateUnlessListed and the Service no annotation ${exportAnnotation.clusters}: name ${source} in one if it may import the Service`
      : undefined;
  if (!clusters.every(isPattern) || clusters.some((pattern) => fits(pattern, source)))
    return undefined;
  return `its annotation ${quoted(service, "clusters")} does not name ${source}: add it there if it may import the Service`;
}

export function invalidList(service: Service): string | undefined {
  const { clusters, ports } = exportAnnotation;
  if (listedIn(service, "clusters")?.every(isPattern) === false)
    return `its annotation ${quoted(service, "clusters")} is not a list of cluster names separated by commas, so no cluster may import it: correct it, such as ${clusters}: "east,north-*"`;
  const { ports: all = [] } = service.spec;
  if (listedIn(service, "ports") === undefined || omittedPorts(service).length < all.length)
    return undefined;
  const example = all[0]?.name ?? String(all[0]?.port ?? "");
  return `its annotation ${quoted(service, "ports")} names none of its ports: correct it, such as ${ports}: "${example}"`;
}

/** An entry is the name of a cluster, or a prefix of names followed by `*`. */
function isPattern(entry: string): boolean {
  return isDnsLabel(entry.replace(/\*$/, "x"));
}

function quoted({ metadata: { annotations = {} } }: Service, what: keyof typeof exportAnnotation) {
  const key = exportAnnotation[what];
  return `${key}: "${printable(annotations[key] ?? "", 200)}"`;
}

/** Returns the ports that the exporter doesn't list, by name or number. */
export function omittedPorts(service: Service): readonly ServicePort[] {
  const listed = listedIn(service, "ports");
  if (listed === undefined) return [];
  const names = new Set(listed);
  return (service.spec.ports ?? []).filter(
    ({ name = "", port }) => !names.has(String(port)) && !(name && names.has(name)),
  );
}

export function withoutPorts(service: Service, omitted: readonly ServicePort[]): Service {
  if (omitted.length === 0) return service;
  const keys = new Set(omitted.map(portKey));
  const ports = service.spec.ports?.filter((port) => !keys.has(portKey(port))) ?? [];
  return { ...service, spec: { ...service.spec, ports } };
}

/** Endpoints have the ports of their Service under the same names, with the numbers of the pods. */
export function withoutNamedPorts<Subset extends { readonly ports: readonly EndpointPort[] }>(
  subset: Subset,
  omitted: readonly ServicePort[],
): Subset {
  const names = new Set(omitted.map(({ name }) => name ?? ""));
  return { ...subset, ports: subset.ports.filter(({ name = "" }) => !names.has(name)) };
}

/**
 * Returns the Services that a link may import from its target, in whichever way.
 *
 * @param isConcerned is asked first, since most Services of a full mesh are mirrors
 */
export function exportedServices(
  link: LinkSpec,
  target: Pick<ClusterSnapshot, "services"> | undefined,
  isConcerned: (service: Service) => boolean,
): Service[] {
  return [...(target?.services.values() ?? [])].filter(
    (service) =>
      isConcerned(service) &&
      (exportMode(service, link) !== undefined ||
        matchesSelector(service, link.federatedServiceSelector, link)) &&
      notListed(service, link) === undefined,
  );
}

export function missingPorts({ link, target }: LinkObservation): string[] {
  const namesPorts = (service: Service) => listedIn(service, "ports") !== undefined;
  const services = exportedServices(link, valueIn(target)?.snapshot, namesPorts);
  const found = services.flatMap((service) => {
    const names = listedIn(service, "ports") ?? [];
    const known = new Set(
      (service.spec.ports ?? []).flatMap(({ name, port }) => [name, String(port)]),
    );
    const missing = names.filter((name) => !known.has(name));
    if (missing.length === 0) return [];
    return `${keyOf(service)} has no port ${listed(missing.map((name) => `"${printable(name, 63)}"`))}`;
  });
  if (found.length === 0) return [];
  return [
    `the annotation ${exportAnnotation.ports} on ${link.target} names ports that don't exist (${listed(found)}): correct it there`,
  ];
}
