import type { Dispatcher } from "undici";
import { itemsOf, objectOf } from "./answers.ts";
import { CredentialsMissing } from "./authentication.ts";
import { failureOfConnection } from "./connection-failure.ts";
import { KubernetesError, type Operation } from "./errors.ts";
import { type Failure, failureOfResponse, isRecord, malformedAnswer, parse } from "./failure.ts";
import { linesOf } from "./lines.ts";
import { clusterObject, type OtherObject, otherObject } from "./objects.ts";
import { ListTooLong, type Page, pageIn, type PageQuery, type Paging, readAll } from "./paging.ts";
import type { Reader, Requester, Settings } from "./request.ts";
import { pathOf, type Resource } from "./resources.ts";
import type { Session, Sessions } from "./session.ts";
import { textWithin } from "./size-limits.ts";

/** What has become of an object, of which nothing but the metadata is asked for. */
export interface Change {
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
  readonly changed: (change: Change) => void;
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

/** In seconds: after which the server is to end a watch; API servers take 30 to 60 minutes by themselves. */
const shortestWatch = 300;

/**
 * Milliseconds without a line after which a watch is taken to be dead. API servers send a bookmark
 * about every minute, at their discretion, and a connection that is half open brings nothing at all.
 */
const longestSilence = 150_000;

const metadataOnly = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
const metadataLists = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

export interface WatcherParts {
  readonly requester: Requester;
  readonly sessions: Sessions;
  readonly settings: Settings;
  readonly paging: Paging;
}

export class Watcher implements Watching {
  readonly cluster: string;
  readonly #parts: WatcherParts;

  constructor(cluster: string, parts: WatcherParts) {
    this.cluster = cluster;
    this.#parts = parts;
  }

  async list(resource: Resource<unknown>): Promise<Listed> {
    let resourceVersion = "";
    const read = async (query: PageQuery, limit: Parameters<Requester["call"]>[2]) => {
      const { page, version } = await this.#page(resource, query, limit);
      resourceVersion = version;
      return page;
    };
    try {
      const items = await readAll(read, this.#parts.paging);
      return { items, resourceVersion };
    } catch (error) {
      if (error instanceof ListTooLong) throw this.#errorOf(resource, error.failure);
      throw error;
    }
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
    const { session, response } = await this.#open(resource, from, signal);
    opened();
    let version = from;
    try {
      for await (const line of linesOf(response.body as AsyncIterable<Buffer>)) {
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
    return this.#parts.requester.close();
  }

  #page(
    resource: Resource<unknown>,
    query: PageQuery,
    limit?: Parameters<Requester["call"]>[2],
  ): Promise<{ readonly page: Page<OtherObject>; readonly version: string }> {
    const operation: Operation = { verb: "list", resource, at: {} };
    const path = `${pathOf(resource, {})}?${new URLSearchParams(query).toString()}`;
    const metadata = metadataOf(resource);
    const reader: Reader<{ page: Page<OtherObject>; version: string }> = (body, bytes) => {
      const page = pageIn(body, metadata, query);
      if (typeof page === "string") return page;
      const version = versionIn(body);
      if (version === undefined) return "the answer has no resource version";
      const items = itemsOf(metadata, page.items);
      return typeof items === "string"
        ? { failure: malformedAnswer(items) }
        : { value: { page: { items, next: page.next, bytes }, version } };
    };
    const request = { operation, method: "GET", path, accept: metadataLists } as const;
    return this.#parts.requester.call(request, reader, limit);
  }

  async #open(resource: Resource<unknown>, from: string, signal: AbortSignal) {
    const { sessions } = this.#parts;
    try {
      const session = await sessions.current();
      const first = await this.#send(session, resource, from, signal);
      if (!("failure" in first)) return { session, response: first.response };
      // Credentials that have expired are loaded again, as at any other request.
      if (first.failure.kind !== "unauthorized" || !(await sessions.renew(session)))
        throw this.#errorOf(resource, first.failure);
      const renewed = await sessions.current();
      const second = await this.#send(renewed, resource, from, signal);
      if ("failure" in second) throw this.#errorOf(resource, second.failure);
      return { session: renewed, response: second.response };
    } catch (error) {
      if (error instanceof CredentialsMissing) throw this.#errorOf(resource, error.failure);
      throw error;
    }
  }

  async #send(
    session: Session,
    resource: Resource<unknown>,
    from: string,
    signal: AbortSignal,
  ): Promise<{ readonly response: Dispatcher.ResponseData } | { readonly failure: Failure }> {
    const { server, requestTimeout, userAgent, mostBytes, time } = this.#parts.settings;
    const query = new URLSearchParams({
      ...{ watch: "1", allowWatchBookmarks: "true", resourceVersion: from },
      // Not all of them at the same time.
      timeoutSeconds: String(Math.round(shortestWatch * (1 + time.random() / 5))),
    });
    try {
      const response = await session.dispatcher.request({
        origin: server.origin,
        path: `${server.pathname.replace(/\/$/, "")}${pathOf(resource, {})}?${query.toString()}`,
        method: "GET",
        headers: { ...session.headers, accept: metadataOnly, "user-agent": userAgent },
        headersTimeout: requestTimeout,
        bodyTimeout: longestSilence,
        signal,
      });
      if (response.statusCode < 300) return { response };
      const said = await textWithin(response.body, mostBytes);
      return { failure: failureOfResponse(response, said?.text ?? "", session.redact) };
    } catch (error) {
      return { failure: failureOfConnection(error, session.proxy) };
    }
  }

  #errorOf(resource: Resource<unknown>, failure: Failure): KubernetesError {
    return this.#parts.requester.errorOf({ verb: "watch", resource, at: {} }, failure);
  }
}

/** The same objects, of which the server sends the metadata alone. */
function metadataOf({ shape: _, identity: __, ...resource }: Resource<unknown>) {
  const shape = resource.namespaced ? otherObject : clusterObject;
  return { ...resource, kind: "PartialObjectMetadata", shape };
}

type Event = { readonly version: string; readonly change?: Change } | { readonly failure: Failure };

function eventIn(line: string, resource: Resource<unknown>, { redact }: Session): Event {
  const event = parse(line);
  if (!isRecord(event)) return malformed("a line of the watch is no event");
  const { type, object } = event;
  if (type === "ERROR") {
    const code = isRecord(object) && typeof object.code === "number" ? object.code : 500;
    const response = { statusCode: code, headers: {} };
    return { failure: failureOfResponse(response, JSON.stringify(object), redact) };
  }
  const version = versionIn(object);
  if (version === undefined) return malformed("an event of the watch has no resource version");
  if (type === "BOOKMARK") return { version };
  if (type !== "ADDED" && type !== "MODIFIED" && type !== "DELETED")
    return malformed("an event of the watch is of no known type");
  const read = objectOf(metadataOf(resource))(object, line.length);
  if (typeof read === "string") return malformed(read);
  return "failure" in read ? read : { version, change: { type, object: read.value } };
}

function malformed(detail: string): { readonly failure: Failure } {
  return { failure: malformedAnswer(detail) };
}

function versionIn(body: unknown): string | undefined {
  const metadata = isRecord(body) && isRecord(body.metadata) ? body.metadata : {};
  const { resourceVersion } = metadata;
  return typeof resourceVersion === "string" && /^[!-~]{1,253}$/.test(resourceVersion)
    ? resourceVersion
    : undefined;
}
