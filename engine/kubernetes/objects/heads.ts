import type { Endpoints, Service } from "./objects.ts";
import { omitUndefined } from "../../base/omit-undefined.ts";

/** Returns only the metadata that tells who owns an object. Long labels are dropped, all of them. */
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
