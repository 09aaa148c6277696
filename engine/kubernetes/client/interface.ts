import type { Cancellation } from "./deadline.ts";
import type { Dispatcher, Route } from "./dispatcher.ts";
import type { SharedValues } from "../objects/shared-values.ts";
import type { Environment } from "../kubeconfig/kubeconfig.ts";
import type { Log } from "./log.ts";
import type { Located, ObjectName, Resource } from "../objects/resources.ts";
import type { RetryPolicy, Time } from "./retry.ts";
import type { SizeLimits } from "./size-limits.ts";

/** Options of `connect`. A run uses the defaults. */
export interface ConnectOptions {
  /** The number of connections, and so of requests at the same time; 32. */
  readonly connections?: number;
  /** Milliseconds for the name lookup, TCP and TLS together; 5,000. */
  readonly connectTimeout?: number;
  /** Milliseconds without any data after which an attempt fails; 30,000. */
  readonly requestTimeout?: number;
  /** Milliseconds that a credential plugin may take; 60,000. */
  readonly pluginTimeout?: number;
  /** The number of objects on one page of a list; 500, as with kubectl. */
  readonly pageSize?: number;
  /** Milliseconds for a list with all its pages; 300,000. */
  readonly listTimeout?: number;
  /** The limits of an API server's answers; `sizeLimits`. */
  readonly sizeLimits?: Partial<SizeLimits>;
  readonly cancellation?: Cancellation;
  readonly retry?: RetryPolicy;
  readonly time?: Time;
  readonly environment?: Environment;
  /** Makes the connections; `dispatcherFor`. Tests inject faults here. */
  readonly dispatcher?: (route: Route) => Dispatcher;
  /** The debug log; by default, `LINKERD_MULTICLUSTER_LOG` switches it on (log.ts). */
  readonly log?: Log;
}

export interface ListOptions {
  /** Without it, the list covers all namespaces. */
  readonly namespace?: string;
  /** For example `app=web,tier in (a,b)`. */
  readonly labelSelector?: string;
  /** For example `status.phase!=Failed`. */
  readonly fieldSelector?: string;
  /** Reads a sample of at most so many objects, from which no conclusion about others may be drawn. */
  readonly first?: number;
  /** Lists that share it share one limit of bytes. */
  readonly keep?: SharedValues;
}

export interface WriteOptions {
  /** The writer in `managedFields`; by default the user agent's first part. */
  readonly fieldManager?: string;
}

export interface RemoveOptions {
  /** An object with another UID is a conflict. */
  readonly uid?: string;
  /** An object that has changed since this version is a conflict. */
  readonly resourceVersion?: string;
}

/**
 * One cluster's API. Every method throws KubernetesError after its retries. It throws at once, with `notAttempted`, while
 * the cluster does not answer (breaker.ts) and once the run is cancelled. A request whose outcome is unknown is sent
 * again, so that a create may find its own object (alreadyExists), a delete none (notFound), and a replace its own
 * change (conflict).
 */
export interface Kubernetes {
  readonly cluster: string;
  /**
   * Lists every object, with the fields that its type has. It never returns a part of the objects, except as a sample
   * (`first`).
   */
  list<T>(resource: Resource<T>, options?: ListOptions): Promise<T[]>;
  get<T>(resource: Resource<T>, at: ObjectName): Promise<T>;
  /**
   * Returns undefined for an object that does not exist: for a 404 whose Status names the object, as an API server sends
   * it. It throws any other 404, such as that of a kind that is not served, or of a proxy.
   */
  find<T>(resource: Resource<T>, at: ObjectName): Promise<T | undefined>;
  create<T extends Located>(resource: Resource<T>, object: T, options?: WriteOptions): Promise<T>;
  /** An object that is no longer at `metadata.resourceVersion` is a conflict. */
  replace<T extends Located>(resource: Resource<T>, object: T, options?: WriteOptions): Promise<T>;
  /** Sends a JSON merge patch: null removes a field, and an array replaces the old one. */
  patch<T>(
    resource: Resource<T>,
    at: ObjectName,
    patch: Readonly<Record<string, unknown>>,
    options?: { readonly subresource?: string },
  ): Promise<T>;
  /** Returns once the deletion is accepted. Finalizers may keep the object for longer. */
  remove(resource: Resource<unknown>, at: ObjectName, options?: RemoveOptions): Promise<void>;
  /** Ends all connections, so that calls in progress fail. */
  close(): Promise<void>;
}
