import { withoutUserPart } from "@linkerd-multicluster/engine/kubernetes";
import type { Facts, ServiceFact } from "./facts.ts";
import { mapTexts } from "./printable.ts";

/** The file of a folder that `gather` writes, by which other commands read it. */
export const factsFile = "facts.json";

/**
 * Facts for others to read. They hold no credential: none of what they are made from does. What people write
 * themselves may quote one all the same: values of labels that are not Linkerd's.
 */
export function redacted(facts: Facts): Facts {
  const known = { ...facts, services: facts.services.map(withoutValues) };
  return mapTexts(known, withoutUserPart);
}

function withoutValues(service: ServiceFact): ServiceFact {
  const labels = Object.entries(service.labels).map(([key, value]) => {
    return [key, key.split("/")[0]?.endsWith("linkerd.io") === true ? value : "…"] as const;
  });
  return { ...service, labels: Object.fromEntries(labels) };
}
