import type { Kubernetes, ListOptions } from "../kubernetes/client/interface.ts";
import type { ObjectName, Resource } from "../kubernetes/objects/resources.ts";
import type { Time } from "../kubernetes/client/retry.ts";
import { Cache } from "./cache.ts";

export interface Reader {
  readonly cluster: string;
  find<T>(resource: Resource<T>, at: ObjectName): Promise<T | undefined>;
  list<T>(resource: Resource<T>, options?: Selection): Promise<T[]>;
}

type Selection = Pick<ListOptions, "namespace" | "labelSelector">;

/** All links to a target ask it the same, so that its answers serve each of them. */
export function sharedReader(client: Kubernetes, time: Pick<Time, "now">): Reader {
  const answers = new Cache<unknown>(time);
  const ask = <T>(
    verb: "find" | "list",
    { apiVersion, kind }: Resource<unknown>,
    { namespace, name, labelSelector }: Partial<ObjectName> & Selection,
    read: () => Promise<T>,
  ) => {
    const question = JSON.stringify([verb, apiVersion, kind, namespace, name, labelSelector]);
    // The question names the verb and the kind, and so the type.
    return answers.get(question, read) as Promise<T>;
  };
  return {
    cluster: client.cluster,
    find: (resource, at) => ask("find", resource, at, () => client.find(resource, at)),
    list: (resource, options = {}) =>
      ask("list", resource, options, () => client.list(resource, options)),
  };
}
