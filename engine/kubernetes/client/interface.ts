import type { Cancellation } from "./deadline.ts";
import type { Dispatcher, Route } from "./dispatcher.ts";
import type { SharedValues } from "../objects/shared-values.ts";
import type { Environment } from "../kubeconfig/kubeconfig.ts";
import type { Log } from "./log.ts";
import type { Located, ObjectName, Resource } from "../objects/resources.ts";
import type { RetryPolicy, Time } from "./retry.ts";
import type { SizeLimits } from "./size-limits.ts";

/** Options of `connect`; the defaults are what a run uses. */
export interface ConnectOptions {
  /** Connections kept open, and so requests in flight at most; 32. */
  readonly connections?: number;
  /** Milliseconds for name lookup, TCP and TLS together; 5,000. */
  readonly connectTimeout?: number;
  /** Milliseconds without a sign of an answer; 30,000. */
  readonly requestTimeout?: number;
  /** Milliseconds that a credential plugin may take; 60,000. */
  readonly pluginTimeout?: number;
  /** Objects on one page of a list; 500, as kubectl. */
  readonly pageSize?: number;
  /** Milliseconds for a list with all its pages; 300,000. */
  readonly listTimeout?: number;
  /** Bounds of an API server's answers; `sizeLimits`. */
  readonly sizeLimits?: Partial<SizeLimits>;
  /** Ends what is under way; by default nothing does. */
  readonly cancellation?: Cancellation;
  readonly retry?: RetryPolicy;
  readonly time?: Time;
  readonly environment?: Environment;
  /** Makes the connections; `dispatcherFor`. A test hands in one that injects faults. */
  readonly dispatcher?: (route: Route) => Dispatcher;
  /** The debug log; by default as `LINKERD_MULTICLUSTER_LOG` says (log.ts). */
  readonly log?: Log;
}

export interface ListOptions {
  /** All namespaces without one. */
  readonly namespace?: string;
  /** The API's notation: `app=web,tier in (a,b)`. */
  readonly labelSelector?: string;
  /** The API's notation: `status.phase!=Failed`. */
  readonly fieldSelector?: string;
  /** No more than so many, for a sample: what is missing in it says nothing. All without it. */
  readonly first?: number;
  /** Shared by lists that have one bound together. */
  readonly keep?: SharedValues;
}

export interface WriteOptions {
  /** Whom `managedFields` names as the writer; without it the user agent's first part. */
  readonly fieldManager?: string;
}

export interface RemoveOptions {
  /** Deletes only the object that has this UID, else conflict. */
  readonly uid?: string;
  /** Deletes only the object as it was read, else conflict. */
  readonly resourceVersion?: string;
}

/**
 * One cluster's API. Every method throws KubernetesError, after the retries that its kind of failure is worth. It
 * throws at once, with `notAttempted`, while the cluster does not answer (breaker.ts) and once the run is cancelled. A request whose outcome is unknown is sent again, so that a create may find
 * its own object (alreadyExists), a delete none (notFound), a replace its own change (conflict).
 */
export interface Kubernetes {
  readonly cluster: string;
  /**
   * Every object there is, with the fields that its type has, or an error: never a part of them, but for a
   * sample (`first`).
   */
  list<T>(resource: Resource<T>, options?: ListOptions): Promise<T[]>;
  get<T>(resource: Resource<T>, at: ObjectName): Promise<T>;
  /**
   * The object, or undefined if it does not exist. That is a 404 whose Status names the object, as an API server
   * sends it. A 404 that
   * does not name it, because the kind is not served or because something else answers, is thrown.
   */
  find<T>(resource: Resource<T>, at: ObjectName): Promise<T | undefined>;
  create<T extends Located>(resource: Resource<T>, object: T, options?: WriteOptions): Promise<T>;
  /** Conflict if the object is no longer at `metadata.resourceVersion`. */
  replace<T extends Located>(resource: Resource<T>, object: T, options?: WriteOptions): Promise<T>;
  /** A JSON merge patch: null removes a field, arrays are replaced. */
  patch<T>(
    resource: Resource<T>,
    at: ObjectName,
    patch: Readonly<Record<string, unknown>>,
    options?: { readonly subresource?: string },
  ): Promise<T>;
  /** Returns when the deletion is accepted, which finalizers may outlast. */
  remove(resource: Resource<unknown>, at: ObjectName, options?: RemoveOptions): Promise<void>;
  /** Ends all connections; calls under way fail. */
  close(): Promise<void>;
}
