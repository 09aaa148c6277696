import { itemsOf, objectOf } from "./answers.ts";
import type { TimeLimit } from "./deadline.ts";
import { defined } from "./defined.ts";
import { KubernetesError, type Operation, type Verb } from "./errors.ts";
import { malformedAnswer } from "./failure.ts";
import { Keep } from "./keep.ts";
import type {
  Kubernetes,
  ListOptions,
  PatchOptions,
  RemoveOptions,
  WriteOptions,
} from "./interface.ts";
import { ListTooLong, type Page, pageIn, type PageQuery, type Paging, readAll } from "./paging.ts";
import type { Reader, Request, Requester } from "./request.ts";
import { type Located, type ObjectName, pathOf, type Resource } from "./resources.ts";
import { inMiB } from "./size-limits.ts";

/** The API's verbs as requests; what `Requester` promises of failures holds for all of them. */
export class Client implements Kubernetes {
  readonly cluster: string;
  readonly #requester: Requester;
  readonly #paging: Paging;

  constructor(cluster: string, requester: Requester, paging: Paging) {
    this.cluster = cluster;
    this.#requester = requester;
    this.#paging = paging;
  }

  get requests(): { readonly reads: number; readonly writes: number } {
    return this.#requester.sent;
  }

  async list<T>(resource: Resource<T>, options: ListOptions = {}): Promise<T[]> {
    const { labelSelector, fieldSelector, first, keep = new Keep(), ...at } = options;
    const mostKept = this.#paging.limits.kept;
    const operation: Operation = { verb: "list", resource, at };
    const selector: PageQuery = {
      ...(labelSelector !== undefined && { labelSelector }),
      ...(fieldSelector !== undefined && { fieldSelector }),
    };
    const read = (query: PageQuery, limit: TimeLimit): Promise<Page<T>> => {
      const search = new URLSearchParams({ ...selector, ...query }).toString();
      const path = pathOf(resource, at) + (search && `?${search}`);
      const reader: Reader<Page<T>> = (body, bytes) => {
        const page = pageIn(body, resource, query);
        if (typeof page === "string") return page;
        const items = itemsOf(resource, page.items, keep);
        if (typeof items === "string") return { failure: malformedAnswer(items) };
        return keep.bytes > mostKept
          ? { failure: malformedAnswer(`what is kept of it takes more than ${inMiB(mostKept)}`) }
          : { value: { items, next: page.next, bytes } };
      };
      return this.#requester.call({ operation, method: "GET", path }, reader, limit);
    };
    try {
      return await readAll(read, { ...this.#paging, ...(first !== undefined && { first }) });
    } catch (error) {
      if (error instanceof ListTooLong) throw this.#requester.errorOf(operation, error.failure);
      throw error;
    }
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
    const at: Partial<ObjectName> = object.metadata ?? {};
    const { namespace } = at;
    const operation: Operation = { verb: "create", resource, at };
    const body = { apiVersion: resource.apiVersion, kind: resource.kind, ...object };
    const path = pathOf(resource, defined({ namespace })) + queryOf(options);
    return this.#requester.call({ operation, method: "POST", path, body }, objectOf(resource));
  }

  async replace<T extends Located>(
    resource: Resource<T>,
    object: T,
    options: WriteOptions = {},
  ): Promise<T> {
    const body = { apiVersion: resource.apiVersion, kind: resource.kind, ...object };
    const at = nameOf(resource, object);
    const path = pathOf(resource, at) + queryOf(options);
    return this.#one("update", "PUT", resource, at, { body, path });
  }

  async apply<T extends Located>(
    resource: Resource<T>,
    fields: Located,
    options: Required<WriteOptions>,
  ): Promise<T> {
    const body = { apiVersion: resource.apiVersion, kind: resource.kind, ...fields };
    const at = nameOf(resource, fields);
    const contentType = "application/apply-patch+yaml";
    const path = pathOf(resource, at) + queryOf(options);
    return this.#one("patch", "PATCH", resource, at, { body, contentType, path });
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
    { propagation, ...preconditions }: RemoveOptions = {},
  ): Promise<void> {
    const body = {
      apiVersion: "v1",
      kind: "DeleteOptions",
      preconditions,
      ...(propagation === undefined ? {} : { propagationPolicy: propagation }),
    };
    const operation: Operation = { verb: "delete", resource, at };
    const path = pathOf(resource, at);
    // The answer is either the object or a Status.
    await this.#requester.call({ operation, method: "DELETE", path, body }, () => ({
      value: undefined,
    }));
  }

  close(): Promise<void> {
    return this.#requester.close();
  }

  #one<T>(
    verb: Verb,
    method: Request["method"],
    resource: Resource<T>,
    at: ObjectName,
    rest: Partial<Pick<Request, "body" | "contentType" | "path">> = {},
  ): Promise<T> {
    const operation: Operation = { verb, resource, at };
    const path = pathOf(resource, at);
    return this.#requester.call({ operation, method, path, ...rest }, objectOf(resource));
  }
}

function nameOf(resource: Resource<unknown>, { metadata = {} }: Located): ObjectName {
  const { name, namespace } = metadata;
  if (name === undefined) throw new TypeError(`a ${resource.kind} without a name can't be written`);
  return { name, ...(namespace !== undefined && { namespace }) };
}

function queryOf({ fieldManager }: WriteOptions): string {
  return fieldManager === undefined ? "" : `?${new URLSearchParams({ fieldManager }).toString()}`;
}
