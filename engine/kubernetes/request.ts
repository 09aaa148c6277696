import type { Dispatcher } from "undici";
import { failureOfConnection } from "./connection-failure.ts";
import { KubernetesError, type Operation, type Place } from "./errors.ts";
import { type Failure, failureOfResponse, parse, unreadable } from "./failure.ts";
import { type Outcome, retry, type RetryPolicy, type Time } from "./retry.ts";
import { CredentialsMissing, type Session, type Sessions } from "./session.ts";

export interface Request {
  readonly operation: Operation;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path below the server's own, with the query if there is one. */
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
}

/** The value in the JSON of an answer, or in words why there is none. */
export type Reader<T> = (body: unknown) => { readonly value: T } | string;

export interface Settings {
  readonly place: Place;
  readonly server: URL;
  readonly policy: RetryPolicy;
  readonly time: Time;
  /** Milliseconds without a sign of an answer after which a request is given up. */
  readonly requestTimeout: number;
  readonly userAgent: string;
}

/** Sends requests to one API server until they are answered or not worth another attempt. */
export class Requester {
  readonly #sessions: Sessions;
  readonly #settings: Settings;
  readonly #basePath: string;
  /** Whether the server was there when last heard of; decides how much patience it gets. */
  #answering = false;
  /** Requests sent, every attempt counted. */
  readonly sent = { reads: 0, writes: 0 };

  constructor(sessions: Sessions, settings: Settings) {
    this.#sessions = sessions;
    this.#settings = settings;
    // A server behind a gateway such as Rancher's has a path of its own.
    this.#basePath = settings.server.pathname.replace(/\/$/, "");
  }

  /**
   * What `read` makes of the answer. Every request is repeated if its outcome is unknown: a repeated
   * create may then find its own object (alreadyExists), a repeated delete none (notFound), a
   * repeated update its own resourceVersion (conflict). Throws KubernetesError.
   */
  async call<T>(request: Request, read: Reader<T>): Promise<T> {
    const { policy, time, place } = this.#settings;
    const result = await retry<T>(
      policy,
      time,
      () => this.#answering,
      (remaining) => this.#attempt(request, read, remaining),
    );
    if ("value" in result) {
      return result.value;
    }
    const { failure, attempts } = result;
    if (failure.kind === "unreachable") {
      // The next calls find out quickly whether it is back, instead of each trying for long.
      this.#answering = false;
    }
    throw new KubernetesError(place, request.operation, failure, attempts);
  }

  close(): Promise<void> {
    return this.#sessions.close();
  }

  async #attempt<T>(request: Request, read: Reader<T>, remaining: number): Promise<Outcome<T>> {
    try {
      const session = await this.#sessions.current();
      const outcome = await this.#send(session, request, read, remaining);
      const refused = "failure" in outcome && outcome.failure.kind === "unauthorized";
      return refused && (await this.#sessions.renew(session))
        ? await this.#send(await this.#sessions.current(), request, read, remaining)
        : outcome;
    } catch (error) {
      if (error instanceof CredentialsMissing) {
        return { failure: error.failure };
      }
      throw error;
    }
  }

  async #send<T>(
    session: Session,
    request: Request,
    read: Reader<T>,
    remaining: number,
  ): Promise<Outcome<T>> {
    this.sent[request.method === "GET" ? "reads" : "writes"]++;
    let response: Dispatcher.ResponseData;
    let text: string;
    try {
      response = await session.dispatcher.request(this.#options(session, request, remaining));
      this.#answering = true;
      text = await response.body.text();
    } catch (error) {
      return { failure: failureOfConnection(error) };
    }
    const { statusCode } = response;
    if (statusCode >= 300) {
      return { failure: discreet(failureOfResponse(response, text), session, request) };
    }
    const result = read(parse(text));
    return typeof result === "string" ? { failure: unreadable(statusCode, result) } : result;
  }

  #options(session: Session, request: Request, remaining: number): Dispatcher.RequestOptions {
    const { server, requestTimeout, userAgent } = this.#settings;
    const timeout = Math.max(1, Math.min(requestTimeout, remaining));
    const { body, contentType = "application/json" } = request;
    return {
      origin: server.origin,
      path: this.#basePath + request.path,
      method: request.method,
      headers: {
        ...session.headers,
        accept: "application/json",
        "user-agent": userAgent,
        ...(body === undefined ? {} : { "content-type": contentType }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      headersTimeout: timeout,
      bodyTimeout: timeout,
    };
  }
}

/** The failure without what must not be repeated of the server's words. */
function discreet(failure: Failure, session: Session, { operation }: Request): Failure {
  const { detail, ...rest } = failure;
  if (detail === undefined || operation.resource.sensitive === true) {
    return rest;
  }
  return {
    ...rest,
    detail: session.secrets.reduce((text, secret) => text.replaceAll(secret, "[secret]"), detail),
  };
}
