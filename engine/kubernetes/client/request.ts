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
  failureOfConnection,
  failureOfResponse,
  type Outcome,
  type RequestFailure,
} from "./failure.ts";
import { describe, KubernetesError, type Operation, type Place } from "./errors.ts";
import { parse } from "../objects/checks.ts";
import type { Log } from "./log.ts";
import { backoff, type RetryPolicy, type Time } from "./retry.ts";
import type { Session, Sessions } from "./session.ts";
import { inMiB, textWithin } from "./size-limits.ts";

export interface Request {
  readonly operation: Operation;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path below the server's own, with the query if there is one. */
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
  /** The form that the answer is to have; `application/json`. */
  readonly accept?: string | undefined;
}

/** Takes the value from the JSON of an answer of so many bytes, or says why there is none. */
export type Reader<T> = (body: unknown, bytes: number) => { readonly value: T } | Unreadable;

export interface Unreadable {
  readonly problem: string;
  /** True if another answer may well be better. */
  readonly transient: boolean;
}

/** An answer that goes on until somebody ends it. */
export interface Stream {
  readonly session: Session;
  readonly body: AsyncIterable<Buffer>;
}

export interface Settings {
  readonly sessions: Sessions;
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
  readonly mostBytes: number;
  readonly userAgent: string;
  /** The debug log; undefined: it is off. */
  readonly log: Log | undefined;
}

/** Sends requests to one API server until they are answered or not worth another attempt. */
export class Requester {
  readonly #settings: Settings;
  /** True if the server was there when last heard of; decides how long it is tried. */
  #answering = false;

  constructor(settings: Settings) {
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
    const { working } = policy;
    const { milliseconds, tooLate } =
      limit !== undefined && limit.milliseconds < working.within
        ? limit
        : {
            milliseconds: working.within,
            tooLate: `no complete answer within ${inSeconds(working.within)}`,
          };
    const isRead = request.method === "GET";
    const start = time.now();
    for (let attempts = 1; ; attempts++) {
      const left = { milliseconds: milliseconds - (time.now() - start), tooLate };
      const outcome = await this.#attempt(request, read, left, attempts);
      if ("value" in outcome) {
        breaker.ended(undefined, isRead);
        return outcome.value;
      }
      const { failure } = outcome;
      const isAway = failure.kind === "unreachable" && !this.#answering;
      const budget = isAway ? policy.connecting : { ...working, within: milliseconds };
      // What the server asks for is the least.
      const wait = (failure.retryAfter ?? 0) + backoff(attempts, policy.backoff, time);
      const isLate = time.now() - start + wait >= budget.within;
      if (!failure.transient || attempts >= budget.attempts || isLate) {
        breaker.ended(failure, isRead);
        // So that the next calls give up quickly, instead of each retrying for long.
        if (failure.kind === "unreachable") this.#answering = false;
        throw this.errorOf(request.operation, failure, attempts);
      }
      log?.(`${this.#line(request)}: retry in ${Math.round(wait)} ms (${briefly(failure)})`);
      await time.sleep(wait, cancellation?.stop);
    }
  }

  /**
   * The answer to a request that is sent once, as it comes.
   *
   * @param silence milliseconds without a byte after which it fails
   * @throws KubernetesError
   */
  async stream(request: Request, silence: number, signal: AbortSignal): Promise<Stream> {
    const outcome = await this.#withCredentials<Stream>(request, async (session) => {
      const answer = await this.#exchange(session, request, { bodyTimeout: silence, signal });
      return "failure" in answer ? answer : { value: { session, body: answer.value.body } };
    });
    if ("value" in outcome) return outcome.value;
    throw this.errorOf(request.operation, outcome.failure);
  }

  errorOf(operation: Operation, failure: RequestFailure, attempts = 1): KubernetesError {
    return new KubernetesError(this.#settings.place, operation, failure, attempts);
  }

  close(): Promise<void> {
    return this.#settings.sessions.close();
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
  async #attempt<T>(
    request: Request,
    read: Reader<T>,
    limit: TimeLimit,
    number: number,
  ): Promise<Outcome<T>> {
    const { cancellation, log, time } = this.#settings;
    if (cancellation?.stop.aborted === true) return { failure: cancelled };
    return within(limit, { time, abort: cancellation?.abort }, (signal) =>
      this.#withCredentials(request, async (session) => {
        const start = time.now();
        const outcome = await this.#send(session, request, read, signal);
        const result = "failure" in outcome ? briefly(outcome.failure) : "ok";
        const took = Math.round(time.now() - start);
        log?.(`${this.#line(request)}: ${result}, ${took} ms, attempt ${number}`);
        return outcome;
      }),
    );
  }

  /** Sends once more with other credentials, where there are any, after a 401. */
  async #withCredentials<T>(
    request: Request,
    send: (session: Session) => Promise<Outcome<T>>,
  ): Promise<Outcome<T>> {
    const { sessions, log } = this.#settings;
    try {
      const session = await sessions.current();
      const outcome = await send(session);
      const refused = "failure" in outcome && outcome.failure.kind === "unauthorized";
      if (!refused || !(await sessions.renew(session))) return outcome;
      log?.(`${this.#line(request)}: again with renewed credentials`);
      return await send(await sessions.current());
    } catch (error) {
      if (error instanceof CredentialsMissing)
        return { failure: { kind: "unauthorized", transient: false, detail: error.message } };
      throw error;
    }
  }

  #line({ operation }: Request): string {
    return `${operation.verb} ${describe(operation)} in cluster ${this.#settings.place.cluster}`;
  }

  async #send<T>(
    session: Session,
    request: Request,
    read: Reader<T>,
    signal: AbortSignal,
  ): Promise<Outcome<T>> {
    const answer = await this.#exchange(session, request, { signal });
    if ("failure" in answer) return answer;
    const whole = await this.#whole(answer.value, session);
    if ("failure" in whole) return whole;
    const result = read(parse(whole.value.text), whole.value.bytes);
    if ("value" in result) return result;
    const { problem: detail, transient } = result;
    return { failure: { kind: "server", transient, status: answer.value.statusCode, detail } };
  }

  /** The answer to one request, of which the body is still to come; one of 300 and above is a failure. */
  async #exchange(
    session: Session,
    request: Request,
    options: Partial<Dispatcher.RequestOptions>,
  ): Promise<Outcome<Dispatcher.ResponseData>> {
    let response: Dispatcher.ResponseData;
    try {
      response = await session.dispatcher.request({
        ...this.#options(session, request),
        ...options,
      });
    } catch (error) {
      return { failure: failureOfConnection(error, session.proxy) };
    }
    this.#answering = true;
    if (response.statusCode < 300) return { value: response };
    const whole = await this.#whole(response, session);
    if ("failure" in whole) return whole;
    const { detail, ...failure } = failureOfResponse(response, whole.value.text, session.redact);
    // What is said of a Secret may be what is in it.
    const isSecret = request.operation.resource.sensitive === true;
    return { failure: isSecret || detail === undefined ? failure : { ...failure, detail } };
  }

  async #whole(
    { body, statusCode: status }: Dispatcher.ResponseData,
    { proxy }: Session,
  ): Promise<Outcome<{ readonly text: string; readonly bytes: number }>> {
    const { mostBytes } = this.#settings;
    try {
      const value = await textWithin(body, mostBytes);
      if (value !== undefined) return { value };
      const detail = `the answer is longer than ${inMiB(mostBytes)}`;
      return { failure: { kind: "tooLong", transient: false, detail, status } };
    } catch (error) {
      return { failure: failureOfConnection(error, proxy) };
    }
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
