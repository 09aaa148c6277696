import { objectOf, pageOf, versionIn } from "./answers.ts";
import type { ListSettings } from "./client.ts";
import {
  type RequestFailure,
  failureOfConnection,
  failureOfResponse,
  malformedAnswer,
} from "./failure.ts";
import type { TimeLimit } from "./deadline.ts";
import { KubernetesError, type Operation } from "./errors.ts";
import { isRecord, parse } from "../objects/checks.ts";
import { SharedValues } from "../objects/shared-values.ts";
import { clusterObject, type OtherObject, otherObject } from "../objects/objects.ts";
import { type Page, type PageQuery, readAll } from "./paging.ts";
import type { Reader, Requester } from "./request.ts";
import { pathOf, type Resource } from "../objects/resources.ts";
import type { Time } from "./retry.ts";
import type { Session } from "./session.ts";
import { linesOf } from "./size-limits.ts";

/** A change of an object, of which nothing but the metadata is asked for. */
export interface ObjectChange {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: OtherObject;
}

/** A list at one moment, which a watch can go on from. */
export interface Listed {
  readonly items: readonly OtherObject[];
  readonly resourceVersion: string;
}

export interface WatchCalls {
  /** The server has begun to watch. */
  readonly opened: () => void;
  readonly changed: (change: ObjectChange) => void;
}

/** One cluster, watched. Its methods throw KubernetesError. */
export interface Watching {
  readonly cluster: string;
  /** All objects of a kind. */
  list(resource: Resource<unknown>): Promise<Listed>;
  /** The version from which a watch of a kind tells all that comes. */
  version(resource: Resource<unknown>): Promise<string>;
  /**
   * Tells of every change after `from`, until the server ends the watch as it does every few minutes
   * or the signal is aborted.
   *
   * @returns the version to go on from
   * @throws KubernetesError of kind `gone` where the server no longer knows that version
   */
  watch(
    resource: Resource<unknown>,
    from: string,
    calls: WatchCalls,
    signal: AbortSignal,
  ): Promise<string>;
  close(): Promise<void>;
}

/** Seconds after which the server is to end a watch; API servers take 30 to 60 minutes by themselves. */
const shortestWatch = 300;

/**
 * Milliseconds without a line after which a watch is taken to be dead. API servers send a bookmark
 * about every minute, at their discretion, and a connection that is half open brings nothing at all.
 */
const longestSilence = 150_000;

const metadataOnly = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
const metadataLists = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

export class Watcher implements Watching {
  readonly cluster: string;
  readonly #requester: Requester;
  readonly #lists: ListSettings;
  readonly #time: Pick<Time, "random">;

  constructor(
    cluster: string,
    requester: Requester,
    lists: ListSettings,
    time: Pick<Time, "random">,
  ) {
    this.cluster = cluster;
    this.#requester = requester;
    this.#lists = lists;
    this.#time = time;
  }

  async list(resource: Resource<unknown>): Promise<Listed> {
    let resourceVersion = "";
    const errorOf = (failure: RequestFailure) => this.#errorOf(resource, failure);
    const items = await readAll(
      async (query, limit) => {
        const page = await this.#page(resource, query, limit);
        resourceVersion = page.version;
        return page;
      },
      { ...this.#lists, errorOf },
    );
    return { items, resourceVersion };
  }

  async version(resource: Resource<unknown>): Promise<string> {
    return (await this.#page(resource, { limit: "1" })).version;
  }

  async watch(
    resource: Resource<unknown>,
    from: string,
    { opened, changed }: WatchCalls,
    signal: AbortSignal,
  ): Promise<string> {
    const query = new URLSearchParams({
      ...{ watch: "1", allowWatchBookmarks: "true", resourceVersion: from },
      // Not all of them at the same time.
      timeoutSeconds: String(Math.round(shortestWatch * (1 + this.#time.random() / 5))),
    });
    const operation: Operation = { verb: "watch", resource, at: {} };
    const path = `${pathOf(resource, {})}?${query.toString()}`;
    const request = { operation, method: "GET", path, accept: metadataOnly } as const;
    const { body, session } = await this.#requester.stream(request, longestSilence, signal);
    opened();
    let version = from;
    try {
      for await (const line of linesOf(body)) {
        const event = eventIn(line, resource, session);
        if ("failure" in event) throw this.#errorOf(resource, event.failure);
        version = event.version;
        if (event.change !== undefined) changed(event.change);
      }
    } catch (error) {
      if (signal.aborted) return version;
      if (error instanceof KubernetesError) throw error;
      throw this.#errorOf(resource, failureOfConnection(error, session.proxy));
    }
    return version;
  }

  close(): Promise<void> {
    return this.#requester.close();
  }

  #page(resource: Resource<unknown>, query: PageQuery, limit?: TimeLimit) {
    const operation: Operation = { verb: "list", resource, at: {} };
    const path = `${pathOf(resource, {})}?${new URLSearchParams(query).toString()}`;
    const request = { operation, method: "GET", path, accept: metadataLists } as const;
    const read = pageOf(metadataOf(resource), query, new SharedValues(), Infinity);
    const reader: Reader<Page<OtherObject> & { readonly version: string }> = (body, bytes) => {
      const page = read(body, bytes);
      if (typeof page === "string" || "failure" in page) return page;
      const { version, ...rest } = page.value;
      return version === undefined
        ? "the answer has no resource version"
        : { value: { ...rest, version } };
    };
    return this.#requester.call(request, reader, limit);
  }

  #errorOf(resource: Resource<unknown>, failure: RequestFailure): KubernetesError {
    return this.#requester.errorOf({ verb: "watch", resource, at: {} }, failure);
  }
}

/** The same objects, of which the server sends the metadata alone. */
function metadataOf({ shape: _, identity: __, ...resource }: Resource<unknown>) {
  const shape = resource.namespaced ? otherObject : clusterObject;
  return { ...resource, kind: "PartialObjectMetadata", shape };
}

type Event =
  | { readonly version: string; readonly change?: ObjectChange }
  | { readonly failure: RequestFailure };

function eventIn(line: string, resource: Resource<unknown>, { redact }: Session): Event {
  const event = parse(line);
  if (!isRecord(event)) return unexpected("a line of the watch is no event");
  const { type, object } = event;
  if (type === "ERROR") {
    const code = isRecord(object) && typeof object.code === "number" ? object.code : 500;
    const response = { statusCode: code, headers: {} };
    return { failure: failureOfResponse(response, JSON.stringify(object), redact) };
  }
  const version = versionIn(object);
  if (version === undefined) return unexpected("an event of the watch has no resource version");
  if (type === "BOOKMARK") return { version };
  if (type !== "ADDED" && type !== "MODIFIED" && type !== "DELETED")
    return unexpected("an event of the watch is of no known type");
  const read = objectOf(metadataOf(resource))(object, line.length);
  if (typeof read === "string") return unexpected(read);
  return "failure" in read ? read : { version, change: { type, object: read.value } };
}

function unexpected(detail: string): { readonly failure: RequestFailure } {
  return { failure: malformedAnswer(detail) };
}
