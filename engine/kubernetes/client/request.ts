import type { LimitFunction } from "p-limit";
import type { Dispatcher } from "undici";
import { CredentialsMissing } from "../kubeconfig/authentication.ts";
import type { Breaker } from "./breaker.ts";
import {
  type Cancellation,
  cancelled,
  cancelledWords,
  type TimeLimit,
  within,
} from "./deadline.ts";
import { inSeconds } from "../objects/duration.ts";
import {
  type RequestFailure,
  failureOfConnection,
  failureOfResponse,
  unreadable,
} from "./failure.ts";
import { defined } from "../objects/defined.ts";
import { describe, KubernetesError, type Operation, type Place } from "./errors.ts";
import { parse } from "../objects/checks.ts";
import type { Log } from "./log.ts";
import { type RequestOutcome, retry, type RetryPolicy, type Time } from "./retry.ts";
import type { Session, Sessions } from "./session.ts";
import { inMiB, type SizeLimits, textWithin } from "./size-limits.ts";

export interface Request {
  readonly operation: Operation;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path below the server's own, with the query if there is one. */
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
  /** The form that the answer is to have; `application/json`. */
  readonly accept?: string;
}

/**
 * Takes the value from the JSON of an answer of so many bytes. Words that say why there is none have it asked for
 * again; a failure says itself whether that is of use.
 */
export type Reader<T> = (body: unknown, bytes: number) => RequestOutcome<T> | string;

/** An answer that goes on until somebody ends it. */
export interface Stream {
  readonly session: Session;
  readonly body: AsyncIterable<Buffer>;
}

export interface Settings {
  readonly place: Place;
  readonly server: URL;
  readonly policy: RetryPolicy;
  readonly breaker: Breaker;
  /** Lets as many calls through at a time as there may be requests in flight. */
  readonly turns: LimitFunction;
  readonly time: Time;
  readonly cancellation: Cancellation | undefined;
  /** Milliseconds without any data from the server after which a request fails. */
  readonly requestTimeout: number;
  /** Bytes that an answer may have. */
  readonly mostBytes: SizeLimits["answer"];
  readonly userAgent: string;
  /** The debug log; undefined: it is off. */
  readonly log: Log | undefined;
}

/** Sends requests to one API server until they are answered or not worth another attempt. */
export class Requester {
  readonly #sessions: Sessions;
  readonly #settings: Settings;
  /** True if the server was there when last heard of; decides how long it is tried. */
  #answering = false;
  /** Requests sent, every attempt counted. */
  readonly sent = { reads: 0, writes: 0 };

  constructor(sessions: Sessions, settings: Settings) {
    this.#sessions = sessions;
    this.#settings = settings;
  }

  /**
   * Sends until there is an answer, and returns what `read` takes from it. A request is repeated if its outcome is
   * unknown: a repeated create may find its own object (alreadyExists), a delete none (notFound), and an update its own
   * resourceVersion (conflict).
   *
   * @param limit a time limit besides that of every call
   * @throws KubernetesError
   */
  call<T>(request: Request, read: Reader<T>, limit?: TimeLimit): Promise<T> {
    // Waiting for its turn is none of the time that a call has. One that waits to be repeated keeps its turn, so that a
    // server which refuses some (429) gets fewer.
    return this.#settings.turns(() => this.#call(request, read, limit));
  }

  async #call<T>(request: Request, read: Reader<T>, limit?: TimeLimit): Promise<T> {
    const { breaker, cancellation, log, policy, time } = this.#settings;
    const notSent = this.#whyNotSent();
    if (notSent !== undefined) throw this.errorOf(request.operation, notSent);
    const usual = policy.working.within;
    const { milliseconds, tooLate } =
      limit !== undefined && limit.milliseconds < usual
        ? limit
        : { milliseconds: usual, tooLate: `no complete answer within ${inSeconds(usual)}` };
    const working = { ...policy.working, within: milliseconds };
    const result = await retry<T>({ ...policy, working }, time, {
      attempt: (remaining, number) =>
        this.#limited(request, read, { milliseconds: remaining, tooLate }, number),
      answering: () => this.#answering,
      stop: cancellation?.stop,
      retrying:
        log &&
        ((failure, wait) => {
          log(`${this.#line(request)}: retry in ${Math.round(wait)} ms (${briefly(failure)})`);
        }),
    });
    const isRead = request.method === "GET";
    if ("value" in result) {
      breaker.ended(undefined, isRead);
      return result.value;
    }
    const { failure, attempts } = result;
    breaker.ended(failure, isRead);
    // So that the next calls give up quickly, instead of each retrying for long.
    if (failure.kind === "unreachable") this.#answering = false;
    throw this.errorOf(request.operation, failure, attempts);
  }

  /**
   * The answer to a request that is sent once, as it comes.
   *
   * @param silence milliseconds without a byte after which it fails
   * @throws KubernetesError
   */
  async stream(request: Request, silence: number, signal: AbortSignal): Promise<Stream> {
    const { mostBytes } = this.#settings;
    const outcome = await this.#withCredentials(request, async (session) => {
      try {
        const options = { ...this.#options(session, request), bodyTimeout: silence, signal };
        const response = await session.dispatcher.request(options);
        const body = response.body as AsyncIterable<Buffer>;
        if (response.statusCode < 300) return { value: { session, body } };
        const said = await textWithin(response.body, mostBytes);
        return { failure: failureOfResponse(response, said?.text ?? "", session.redact) };
      } catch (error) {
        return { failure: failureOfConnection(error, session.proxy) };
      }
    });
    if ("value" in outcome) return outcome.value;
    throw this.errorOf(request.operation, outcome.failure);
  }

  errorOf(operation: Operation, failure: RequestFailure, attempts = 1): KubernetesError {
    return new KubernetesError(this.#settings.place, operation, failure, attempts);
  }

  close(): Promise<void> {
    return this.#sessions.close();
  }

  #whyNotSent(): RequestFailure | undefined {
    const { breaker, cancellation, place } = this.#settings;
    if (cancellation?.stop.aborted === true) return { ...cancelled, notAttempted: cancelledWords };
    const last = breaker.refusal();
    if (last === undefined) return undefined;
    const said = last.detail ?? briefly(last);
    return { ...last, notAttempted: `cluster ${place.cluster} does not answer (${said})` };
  }

  /** An attempt that ends in time, whatever the server sends, and however slowly. */
  async #limited<T>(
    request: Request,
    read: Reader<T>,
    limit: TimeLimit,
    number: number,
  ): Promise<RequestOutcome<T>> {
    const { cancellation, time } = this.#settings;
    if (cancellation?.stop.aborted === true) return { failure: cancelled };
    return within({ ...limit, abort: cancellation?.abort, time }, (signal) =>
      this.#withCredentials(request, (session) =>
        this.#logged(request, number, () => this.#send(session, request, read, signal)),
      ),
    );
  }

  /** Sends once more with other credentials, where there are any, after a 401. */
  async #withCredentials<T>(
    request: Request,
    send: (session: Session) => Promise<RequestOutcome<T>>,
  ): Promise<RequestOutcome<T>> {
    try {
      const session = await this.#sessions.current();
      const outcome = await send(session);
      const refused = "failure" in outcome && outcome.failure.kind === "unauthorized";
      if (!refused || !(await this.#sessions.renew(session))) return outcome;
      this.#settings.log?.(`${this.#line(request)}: again with renewed credentials`);
      return await send(await this.#sessions.current());
    } catch (error) {
      if (error instanceof CredentialsMissing)
        return { failure: { kind: "unauthorized", transient: false, detail: error.message } };
      throw error;
    }
  }

  /** One request, and a line about it in the debug log. */
  async #logged<T>(
    request: Request,
    number: number,
    send: () => Promise<RequestOutcome<T>>,
  ): Promise<RequestOutcome<T>> {
    const { log, time } = this.#settings;
    if (log === undefined) return send();
    const start = time.now();
    const outcome = await send();
    const result = "failure" in outcome ? briefly(outcome.failure) : "ok";
    const took = Math.round(time.now() - start);
    log(`${this.#line(request)}: ${result}, ${took} ms, attempt ${number}`);
    return outcome;
  }

  #line({ operation }: Request): string {
    return `${operation.verb} ${describe(operation)} in cluster ${this.#settings.place.cluster}`;
  }

  async #send<T>(
    session: Session,
    request: Request,
    read: Reader<T>,
    signal: AbortSignal,
  ): Promise<RequestOutcome<T>> {
    this.sent[request.method === "GET" ? "reads" : "writes"]++;
    const { mostBytes } = this.#settings;
    let response: Dispatcher.ResponseData;
    let whole: Awaited<ReturnType<typeof textWithin>>;
    try {
      response = await session.dispatcher.request({ ...this.#options(session, request), signal });
      this.#answering = true;
      whole = await textWithin(response.body, mostBytes);
    } catch (error) {
      return { failure: failureOfConnection(error, session.proxy) };
    }
    const { statusCode: status } = response;
    if (whole === undefined) {
      const detail = `the answer is longer than ${inMiB(mostBytes)}`;
      return { failure: { kind: "tooLong", transient: false, detail, status } };
    }
    const { text, bytes } = whole;
    if (status >= 300) {
      const { detail, ...failure } = failureOfResponse(response, text, session.redact);
      // What is said of a Secret may be what is in it.
      const isSecret = request.operation.resource.sensitive === true;
      return { failure: { ...failure, ...defined({ detail: isSecret ? undefined : detail }) } };
    }
    const result = read(parse(text), bytes);
    return typeof result === "string" ? { failure: unreadable(status, result) } : result;
  }

  #options(session: Session, request: Request): Dispatcher.RequestOptions {
    const { server, requestTimeout, userAgent } = this.#settings;
    const { body, contentType = "application/json", accept = "application/json" } = request;
    return {
      origin: server.origin,
      // A server behind a gateway such as Rancher's has a path of its own.
      path: server.pathname.replace(/\/$/, "") + request.path,
      method: request.method,
      headers: {
        ...session.headers,
        accept,
        "user-agent": userAgent,
        ...(body !== undefined && { "content-type": contentType }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      headersTimeout: requestTimeout,
      bodyTimeout: requestTimeout,
      // A DELETE has preconditions as its body, after which undici would close the connection.
      reset: false,
    };
  }
}

/** A failure as status, kind and one word of reason: nothing else that the server said. */
function briefly({ status, kind, reason = "" }: RequestFailure): string {
  const word = /^\w{1,40}$/.test(reason) ? [reason] : [];
  return [...(status === undefined ? [] : [status]), kind, ...word].join(" ");
}
