import { objectOf, pageOf } from "./answers.ts";
import { defined } from "../objects/defined.ts";
import { KubernetesError, type Operation, type Verb } from "./errors.ts";
import type {
  Kubernetes,
  ListOptions,
  PatchOptions,
  RemoveOptions,
  WriteOptions,
} from "./interface.ts";
import { SharedValues } from "../objects/shared-values.ts";
import { type Paging, readAll } from "./paging.ts";
import type { Request, Requester } from "./request.ts";
import { type Located, type ObjectName, pathOf, type Resource } from "../objects/resources.ts";

/** Settings of all lists; the rest is each list's own. */
export type ListSettings = Omit<Paging, "first" | "errorOf">;

/** The API's verbs as requests; what `Requester` promises of failures holds for all of them. */
export class Client implements Kubernetes {
  readonly cluster: string;
  readonly #requester: Requester;
  readonly #lists: ListSettings;

  constructor(cluster: string, requester: Requester, lists: ListSettings) {
    this.cluster = cluster;
    this.#requester = requester;
    this.#lists = lists;
  }

  get requests(): { readonly reads: number; readonly writes: number } {
    return this.#requester.sent;
  }

  list<T>(resource: Resource<T>, options: ListOptions = {}): Promise<T[]> {
    const { labelSelector, fieldSelector, first, keep = new SharedValues(), ...at } = options;
    const operation: Operation = { verb: "list", resource, at };
    const selector = defined({ labelSelector, fieldSelector });
    return readAll(
      (query, limit) => {
        const path = pathOf(resource, at) + queryOf({ ...selector, ...query });
        const reader = pageOf(resource, query, keep, this.#lists.limits.kept);
        return this.#requester.call({ operation, method: "GET", path }, reader, limit);
      },
      {
        ...{ ...this.#lists, ...defined({ first }) },
        errorOf: (failure) => this.#requester.errorOf(operation, failure),
      },
    );
  }

  get<T>(resource: Resource<T>, at: ObjectName): Promise<T> {
    return this.#one("get", "GET", resource, at);
  }

  async find<T>(resource: Resource<T>, at: ObjectName): Promise<T | undefined> {
    try {
      return await this.get(resource, at);
    } catch (error) {
      if (error instanceof KubernetesError && error.absent === at.name) return undefined;
      throw error;
    }
  }

  create<T extends Located>(
    resource: Resource<T>,
    object: T,
    options: WriteOptions = {},
  ): Promise<T> {
    const { namespace, name } = object.metadata ?? {};
    const path = pathOf(resource, defined({ namespace })) + queryOf(options);
    const body = withKind(resource, object);
    return this.#one("create", "POST", resource, defined({ namespace, name }), { body, path });
  }

  async replace<T extends Located>(
    resource: Resource<T>,
    object: T,
    options: WriteOptions = {},
  ): Promise<T> {
    const at = nameOf(resource, object);
    const path = pathOf(resource, at) + queryOf(options);
    return this.#one("update", "PUT", resource, at, { body: withKind(resource, object), path });
  }

  async apply<T extends Located>(
    resource: Resource<T>,
    fields: Located,
    options: Required<WriteOptions>,
  ): Promise<T> {
    const at = nameOf(resource, fields);
    return this.#one("patch", "PATCH", resource, at, {
      body: withKind(resource, fields),
      contentType: "application/apply-patch+yaml",
      path: pathOf(resource, at) + queryOf(options),
    });
  }

  patch<T>(
    resource: Resource<T>,
    at: ObjectName,
    patch: Readonly<Record<string, unknown>>,
    { subresource }: PatchOptions = {},
  ): Promise<T> {
    return this.#one("patch", "PATCH", resource, at, {
      body: patch,
      contentType: "application/merge-patch+json",
      path: pathOf(resource, at) + (subresource === undefined ? "" : `/${subresource}`),
    });
  }

  async remove(
    resource: Resource<unknown>,
    at: ObjectName,
    preconditions: RemoveOptions = {},
  ): Promise<void> {
    const body = { apiVersion: "v1", kind: "DeleteOptions", preconditions };
    const operation: Operation = { verb: "delete", resource, at };
    const request = { operation, method: "DELETE", path: pathOf(resource, at), body } as const;
    // The answer is either the object or a Status.
    await this.#requester.call(request, () => ({ value: undefined }));
  }

  close(): Promise<void> {
    return this.#requester.close();
  }

  #one<T>(
    verb: Verb,
    method: Request["method"],
    resource: Resource<T>,
    at: Partial<ObjectName>,
    { path = pathOf(resource, at), ...rest }: Partial<Request> = {},
  ): Promise<T> {
    const operation: Operation = { verb, resource, at };
    return this.#requester.call({ ...rest, operation, method, path }, objectOf(resource));
  }
}

function withKind({ apiVersion, kind }: Resource<unknown>, object: Located): object {
  return { apiVersion, kind, ...object };
}

function nameOf(resource: Resource<unknown>, { metadata = {} }: Located): ObjectName {
  const { name, namespace } = metadata;
  if (name === undefined) throw new TypeError(`a ${resource.kind} without a name can't be written`);
  return { name, ...defined({ namespace }) };
}

function queryOf(parameters: Readonly<Record<string, string>> | WriteOptions): string {
  const query = new URLSearchParams({ ...parameters }).toString();
  return query && `?${query}`;
}
