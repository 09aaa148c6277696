import { exportAnnotation, fits } from "@linkerd-multicluster/engine/mirroring";
import type { Facts, ServiceFact } from "../facts/facts.ts";

const all = new Intl.ListFormat("en-GB");

/** Says which clusters may import a Service, and which of its ports, unless all may. */
export function restrictionOn(
  { cluster, service, importers, importedPorts }: ServiceFact,
  { clusters }: Facts,
): string | undefined {
  if (importers === undefined && importedPorts === undefined) return undefined;
  const by =
    importers === undefined
      ? "by every cluster"
      : `by ${all.format(importers)} only (annotation ${exportAnnotation.clusters})`;
  const ports =
    importedPorts === undefined
      ? ""
      : `, with ${importedPorts.length === 1 ? "port" : "ports"} ${all.format(importedPorts)} only (annotation ${exportAnnotation.ports})`;
  const unknown = (importers ?? []).filter(
    (pattern) => !clusters.some(({ name }) => fits(pattern, name)),
  );
  const typo = unknown.length === 0 ? "" : `; the stack has no cluster ${all.format(unknown)}`;
  return `${cluster}/${service} may be imported ${by}${ports}${typo}`;
}
