import { objectOf, pageOf } from "./answers.ts";
import { omitUndefined } from "../../base/omit-undefined.ts";
import { KubernetesError, type Operation, type Verb } from "./errors.ts";
import type { Kubernetes, ListOptions } from "./interface.ts";
import { SharedValues } from "../objects/shared-values.ts";
import { type Items, type ListSettings, readAll } from "./paging.ts";
import type { Request } from "./exchange.ts";
import type { Requester } from "./request.ts";
import { type Located, type ObjectName, pathOf, type Resource } from "../objects/resources.ts";

export function clientOf(cluster: string, requester: Requester, lists: ListSettings): Kubernetes {
  const one = <T>(
    verb: Verb,
    method: Request["method"],
    resource: Resource<T>,
    at: Partial<ObjectName>,
    { path = pathOf(resource, at), ...rest }: Partial<Request> = {},
  ): Promise<T> => {
    const operation: Operation = { verb, resource, at };
    return requester.call({ ...rest, operation, method, path }, objectOf(resource));
  };
  return {
    cluster,

    list: async (resource, options) => (await readList(requester, lists, resource, options)).items,

    get: (resource, at) => one("get", "GET", resource, at),

    async find(resource, at) {
      try {
        return await one("get", "GET", resource, at);
      } catch (error) {
        if (error instanceof KubernetesError && error.absent === at.name) return undefined;
        throw error;
      }
    },

    create(resource, object, options) {
      const { namespace, name } = object.metadata ?? {};
      const path = pathOf(resource, omitUndefined({ namespace })) + queryOf({ ...options });
      const body = withKind(resource, object);
      return one("create", "POST", resource, omitUndefined({ namespace, name }), { body, path });
    },

    replace(resource, object, options) {
      const at = nameOf(resource, object);
      const path = pathOf(resource, at) + queryOf({ ...options });
      return one("update", "PUT", resource, at, { body: withKind(resource, object), path });
    },

    patch: (resource, at, patch, { subresource } = {}) =>
      one("patch", "PATCH", resource, at, {
        body: patch,
        contentType: "application/merge-patch+json",
        path: pathOf(resource, at) + (subresource === undefined ? "" : `/${subresource}`),
      }),

    async remove(resource, at, preconditions = {}) {
      const body = { apiVersion: "v1", kind: "DeleteOptions", preconditions };
      const operation: Operation = { verb: "delete", resource, at };
      const request = { operation, method: "DELETE", path: pathOf(resource, at), body } as const;
      // The answer is either the object or a Status.
      await requester.call(request, () => ({ value: undefined }));
    },

    close: () => requester.close(),
  };
}

export function readList<T>(
  requester: Requester,
  settings: ListSettings,
  resource: Resource<T>,
  { labelSelector, fieldSelector, first, keep = new SharedValues(), ...at }: ListOptions = {},
  accept?: string,
): Promise<Items<T>> {
  const operation: Operation = { verb: "list", resource, at };
  const selector = omitUndefined({ labelSelector, fieldSelector });
  const reader = pageOf(resource, keep, keep.most ?? settings.limits.kept);
  return readAll(
    (query, limit) => {
      const path = pathOf(resource, at) + queryOf({ ...selector, ...query });
      return requester.call({ operation, method: "GET", path, accept }, reader, limit);
    },
    first,
    { ...settings, errorOf: (failure) => requester.errorOf(operation, failure) },
  );
}

function withKind({ apiVersion, kind }: Resource<unknown>, object: Located): object {
  return { apiVersion, kind, ...object };
}

function nameOf(resource: Resource<unknown>, { metadata = {} }: Located): ObjectName {
  const { name, namespace } = metadata;
  if (name === undefined) throw new TypeError(`a ${resource.kind} without a name can't be written`);
  return { name, ...omitUndefined({ namespace }) };
}

function queryOf(parameters: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(parameters).toString();
  return query && `?${query}`;
}
