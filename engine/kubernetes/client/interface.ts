import type { Cancellation } from "./deadline.ts";
import type { Dispatcher } from "undici";
import type { Route } from "./dispatcher.ts";
import type { SharedValues } from "../objects/shared-values.ts";
import type { Environment } from "../kubeconfig/kubeconfig.ts";
import type { Log } from "./log.ts";
import type { Located, ObjectName, Resource } from "../objects/resources.ts";
import type { RetryPolicy, Time } from "./retry.ts";

export type SizeLimits = Readonly<Record<"answer" | "items" | "list" | "kept", number>>;

/** A run uses the defaults (connect.ts). Time-outs are in milliseconds. */
export interface ConnectOptions {
  /** This many requests are sent at the same time. */
  readonly connections?: number;
  /** The limit is for the name lookup, TCP and TLS together. */
  readonly connectTimeout?: number;
  /** An attempt fails after this time without any data. */
  readonly requestTimeout?: number;
  readonly pluginTimeout?: number;
  readonly pageSize?: number;
  /** The limit is for a list with all its pages. */
  readonly listTimeout?: number;
  /** The defaults are in bounds.ts. */
  readonly sizeLimits?: Partial<SizeLimits>;
  readonly cancellation?: Cancellation;
  readonly retry?: RetryPolicy;
  readonly time?: Time;
  readonly environment?: Environment;
  /** Tests inject faults here. */
  readonly dispatcher?: (route: Route) => Dispatcher;
  readonly log?: Log;
}

export interface ListOptions {
  /** Without it, the list covers all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Reads a sample of at most this many objects, from which no conclusion about others may be drawn. */
  readonly first?: number;
  /** Lists that share it share one limit of bytes. */
  readonly keep?: SharedValues;
}

interface WriteOptions {
  /** The default is the user agent's first part. */
  readonly fieldManager?: string;
  /** The API server judges the request, and stores nothing. */
  readonly dryRun?: "All";
}

/**
 * Every method throws KubernetesError after its retries, and at once while the cluster does not answer (breaker.ts) or
 * once the run is cancelled. A request whose outcome is unknown is sent again, so that a create may find its own object
 * (alreadyExists), a delete none (notFound), and a replace its own change (conflict).
 */
export interface Kubernetes {
  readonly cluster: string;
  /** The list is complete unless it is a sample (`first`), and has the fields of its type alone. */
  list<T>(resource: Resource<T>, options?: ListOptions): Promise<T[]>;
  get<T>(resource: Resource<T>, at: ObjectName): Promise<T>;
  /** Returns undefined for a 404 whose Status names the object. Any other, such as that of a proxy, is an error. */
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
  /** Finalizers may keep the object for longer. An object with another UID or version is a conflict. */
  remove(
    resource: Resource<unknown>,
    at: ObjectName,
    expected?: { readonly uid?: string; readonly resourceVersion?: string },
  ): Promise<void>;
  /** Ends all connections, so that calls in progress fail. */
  close(): Promise<void>;
}
