import {
  type EndpointAddress,
  type Endpoints,
  malformed,
  type ManagedFields,
  type ObjectMeta,
  type Service,
} from "../../kubernetes/objects.ts";
import { label } from "../model/vocabulary.ts";

/**
 * What a snapshot keeps of the objects that a cluster lists, so that a large cluster takes no more memory than mirroring
 * needs. Mirrors stay whole, since an update sends back what it does not change; values that many of them have in
 * common, like their account of who has set what, are there once. Of all others the fields stay that objects.ts names,
 * but for `managedFields`, by which nobody judges what is no mirror: only the times of Endpoints stay.
 */
export class Kept {
  readonly #shared = new Map<string, unknown>();

  service(service: Service): Service {
    if (service[malformed] !== undefined) return service;
    const { metadata, spec, status } = service;
    if (isMirror(metadata))
      return {
        ...service,
        metadata: this.#mirror(metadata),
        spec: spec.ports === undefined ? spec : { ...spec, ports: this.#once(spec.ports) },
      };
    const { type, clusterIP, clusterIPs = [], selector, ports } = spec;
    const { ingress = [] } = status?.loadBalancer ?? {};
    return {
      metadata: this.#other(metadata),
      spec: {
        ...(type !== undefined && { type }),
        ...(clusterIP !== undefined && { clusterIP }),
        ...(clusterIPs.length > 1 && { clusterIPs }),
        ...(selector !== undefined && { selector: this.#once(selector) }),
        ...(ports !== undefined && { ports: this.#once(ports) }),
      },
      ...(ingress.length > 0 && { status: { loadBalancer: { ingress } } }),
    };
  }

  endpoints(endpoints: Endpoints): Endpoints {
    if (endpoints[malformed] !== undefined) return endpoints;
    const { metadata, subsets } = endpoints;
    if (isMirror(metadata))
      return {
        ...endpoints,
        metadata: this.#mirror(metadata),
        ...(subsets !== undefined && { subsets: this.#once(subsets) }),
      };
    const times = (metadata.managedFields ?? []).flatMap(({ time }) => time ?? []);
    return {
      // When these were written tells since when a pod is away that they do not list.
      metadata: {
        ...this.#other(metadata),
        ...(times.length > 0 && { managedFields: times.map((time) => ({ time })) }),
      },
      ...(subsets !== undefined && {
        subsets: subsets.map(({ addresses, notReadyAddresses, ports }) => ({
          ...(addresses !== undefined && { addresses: addresses.map(addressOf) }),
          ...(notReadyAddresses !== undefined && {
            notReadyAddresses: notReadyAddresses.map(addressOf),
          }),
          ...(ports !== undefined && { ports: this.#once(ports) }),
        })),
      }),
    };
  }

  #mirror(metadata: ObjectMeta): ObjectMeta {
    const { labels, managedFields } = metadata;
    return {
      ...metadata,
      ...(labels !== undefined && { labels: this.#once(labels) }),
      ...(managedFields !== undefined && {
        managedFields: managedFields.map(({ fieldsV1, ...entry }): ManagedFields => ({
          ...entry,
          ...(fieldsV1 !== undefined && { fieldsV1: this.#once(fieldsV1) }),
        })),
      }),
    };
  }

  #other(metadata: ObjectMeta): ObjectMeta {
    const { name, namespace, uid, resourceVersion, creationTimestamp, deletionTimestamp } =
      metadata;
    const { labels, annotations } = metadata;
    return {
      ...{ name, namespace },
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(labels !== undefined && { labels: this.#once(labels) }),
      ...(annotations !== undefined && { annotations }),
      ...(creationTimestamp !== undefined && { creationTimestamp }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    };
  }

  /** The value, or one equal to it that has come before. */
  #once<T>(value: T): T {
    let text: string;
    try {
      text = JSON.stringify(value);
    } catch {
      // Nested deeper than any API server would have it.
      return value;
    }
    const known = this.#shared.get(text);
    if (known !== undefined) return known as T;
    this.#shared.set(text, value);
    return value;
  }
}

function addressOf({ ip, hostname }: EndpointAddress): EndpointAddress {
  return hostname === undefined ? { ip } : { ip, hostname };
}

/** Whoever has made it, and even if it is nobody's to take over. */
function isMirror({ labels }: ObjectMeta): boolean {
  return labels?.[label.mirrored] !== undefined;
}
