import type { Endpoints, Service } from "./objects.ts";
import { omitUndefined } from "./omit-undefined.ts";

/** What is left still tells whose the object is. It has no labels at all if they are too long to be kept. */
export function headOf({ metadata }: Endpoints): Endpoints {
  const { labels = {}, annotations, managedFields = [], ...rest } = metadata;
  const isShort = JSON.stringify(labels).length <= 2 ** 11;
  const marks = managedFields.slice(0, 20).map(({ manager = "" }) => ({ manager }));
  return {
    metadata: { ...rest, ...(isShort && { labels }), managedFields: marks, isHead: true },
  };
}

export function headOfService(service: Service): Service {
  const { type, clusterIP } = service.spec;
  return { ...headOf(service), spec: omitUndefined({ type, clusterIP }) };
}
