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
import {
  type ExchangeSettings,
  refusalIn,
  type Request,
  requestOptions,
  wholeOf,
} from "./exchange.ts";
import { inSeconds } from "../objects/duration.ts";
import { failureOfConnection, type Outcome, type RequestFailure } from "./failure.ts";
import { describe, KubernetesError, type Operation, type Place } from "./errors.ts";
import { parse } from "../objects/checks.ts";
import type { Log } from "./log.ts";
import { backoff, type RetryPolicy, type Time } from "./retry.ts";
import type { Session, Sessions } from "./session.ts";

/** Takes the value from the JSON of an answer of so many bytes, or says why there is none. */
export type Reader<T> = (body: unknown, bytes: number) => Outcome<T>;

/** An answer that goes on until somebody ends it. */
export interface Stream {
  readonly session: Session;
  readonly body: AsyncIterable<Buffer>;
}

export interface Settings extends ExchangeSettings {
  readonly sessions: Sessions;
  readonly place: Place;
  readonly policy: RetryPolicy;
  readonly breaker: Breaker;
  /** Lets as many calls through at a time as there may be requests in flight. */
  readonly turns: LimitFunction;
  readonly time: Time;
  readonly cancellation: Cancellation | undefined;
  /** The debug log; undefined: it is off. */
  readonly log: Log | undefined;
}

export type Requester = ReturnType<typeof requesterOf>;

/** Sends requests to one API server until they are answered or not worth another attempt. */
export function requesterOf(settings: Settings) {
  const { sessions, place, policy, breaker, turns, time, cancellation, log } = settings;
  const usual: TimeLimit = {
    milliseconds: policy.working.within,
    tooLate: `no complete answer within ${inSeconds(policy.working.within)}`,
  };
  /** True if the server was there when last heard of; decides how long it is tried. */
  let isAnswering = false;

  const errorOf = (operation: Operation, failure: RequestFailure, attempts = 1) =>
    new KubernetesError(place, operation, failure, attempts);

  const inLog = ({ operation }: Request) =>
    `${operation.verb} ${describe(operation)} in cluster ${place.cluster}`;

  const whyNotSent = (): RequestFailure | undefined => {
    if (cancellation?.stop.aborted === true) return { ...cancelled, notAttempted: cancelledWords };
    const last = breaker.refusal();
    if (last === undefined) return undefined;
    const said = last.detail ?? briefly(last);
    return { ...last, notAttempted: `cluster ${place.cluster} does not answer (${said})` };
  };

  /** The answer to one request, of which the body is still to come; one of 300 and above is a failure. */
  const exchange = async (
    session: Session,
    request: Request,
    options: Partial<Dispatcher.RequestOptions>,
  ): Promise<Outcome<Dispatcher.ResponseData>> => {
    const { dispatcher, proxy } = session;
    let value: Dispatcher.ResponseData;
    try {
      value = await dispatcher.request({
        ...requestOptions(request, session, settings),
        ...options,
      });
    } catch (error) {
      return { failure: failureOfConnection(error, proxy) };
    }
    isAnswering = true;
    if (value.statusCode < 300) return { value };
    return refusalIn(value, request, session, settings);
  };

  const send = async <T>(
    session: Session,
    request: Request,
    read: Reader<T>,
    signal: AbortSignal,
  ): Promise<Outcome<T>> => {
    const answer = await exchange(session, request, { signal });
    if ("failure" in answer) return answer;
    const whole = await wholeOf(answer.value, session, settings);
    if ("failure" in whole) return whole;
    const result = read(parse(whole.value.text), whole.value.bytes);
    if ("value" in result) return result;
    return { failure: { ...result.failure, status: answer.value.statusCode } };
  };

  /** Sends once more with other credentials, where there are any, after a 401. */
  const withCredentials = async <T>(
    request: Request,
    sendIn: (session: Session) => Promise<Outcome<T>>,
  ): Promise<Outcome<T>> => {
    try {
      const session = await sessions.current();
      const outcome = await sendIn(session);
      const isRefused = "failure" in outcome && outcome.failure.kind === "unauthorized";
      if (!isRefused || !(await sessions.renew(session))) return outcome;
      log?.(`${inLog(request)}: again with renewed credentials`);
      return await sendIn(await sessions.current());
    } catch (error) {
      if (error instanceof CredentialsMissing)
        return { failure: { kind: "unauthorized", transient: false, detail: error.message } };
      throw error;
    }
  };

  /** An attempt that ends in time, whatever the server sends, and however slowly. */
  const attempt = async <T>(
    request: Request,
    read: Reader<T>,
    limit: TimeLimit,
    number: number,
  ): Promise<Outcome<T>> => {
    if (cancellation?.stop.aborted === true) return { failure: cancelled };
    return within(limit, { time, abort: cancellation?.abort }, (signal) =>
      withCredentials(request, async (session) => {
        const start = time.now();
        const outcome = await send(session, request, read, signal);
        const result = "failure" in outcome ? briefly(outcome.failure) : "ok";
        const took = Math.round(time.now() - start);
        log?.(`${inLog(request)}: ${result}, ${took} ms, attempt ${number}`);
        return outcome;
      }),
    );
  };

  const callInTurn = async <T>(request: Request, read: Reader<T>, limit = usual): Promise<T> => {
    const notSent = whyNotSent();
    if (notSent !== undefined) throw errorOf(request.operation, notSent);
    const { milliseconds, tooLate } = limit.milliseconds < usual.milliseconds ? limit : usual;
    const isRead = request.method === "GET";
    const start = time.now();
    for (let attempts = 1; ; attempts++) {
      const left = { milliseconds: milliseconds - (time.now() - start), tooLate };
      const outcome = await attempt(request, read, left, attempts);
      if ("value" in outcome) {
        breaker.ended(undefined, isRead);
        return outcome.value;
      }
      const { failure } = outcome;
      const isAway = failure.kind === "unreachable" && !isAnswering;
      const budget = isAway ? policy.connecting : { ...policy.working, within: milliseconds };
      // What the server asks for is the least.
      const wait = (failure.retryAfter ?? 0) + backoff(attempts, policy.backoff, time);
      const isLate = time.now() - start + wait >= budget.within;
      if (!failure.transient || attempts >= budget.attempts || isLate) {
        breaker.ended(failure, isRead);
        // So that the next calls give up quickly, instead of each retrying for long.
        if (failure.kind === "unreachable") isAnswering = false;
        throw errorOf(request.operation, failure, attempts);
      }
      log?.(`${inLog(request)}: retry in ${Math.round(wait)} ms (${briefly(failure)})`);
      await time.sleep(wait, cancellation?.stop);
    }
  };

  return {
    /**
     * Sends until there is an answer, and returns what `read` takes from it. A request is repeated if its outcome is
     * unknown: a repeated create may find its own object (alreadyExists), a delete none (notFound), and an update its own
     * resourceVersion (conflict).
     *
     * @param limit a time limit besides that of every call
     * @throws KubernetesError
     */
    call: <T>(request: Request, read: Reader<T>, limit?: TimeLimit): Promise<T> =>
      // Waiting for its turn is none of the time that a call has. One that waits to be repeated keeps its turn, so that
      // a server which refuses some (429) gets fewer.
      turns(() => callInTurn(request, read, limit)),

    /**
     * The answer to a request that is sent once, as it comes.
     *
     * @param silence milliseconds without a byte after which it fails
     * @throws KubernetesError
     */
    async stream(request: Request, silence: number, signal: AbortSignal): Promise<Stream> {
      const outcome = await withCredentials<Stream>(request, async (session) => {
        const answer = await exchange(session, request, { bodyTimeout: silence, signal });
        return "failure" in answer ? answer : { value: { session, body: answer.value.body } };
      });
      if ("value" in outcome) return outcome.value;
      throw errorOf(request.operation, outcome.failure);
    },

    errorOf,

    close: () => sessions.close(),
  };
}

/** A failure as status, kind and one word of reason: nothing else that the server said. */
function briefly({ status, kind, reason = "" }: RequestFailure): string {
  const word = /^\w{1,40}$/.test(reason) ? [reason] : [];
  return [...(status === undefined ? [] : [status]), kind, ...word].join(" ");
}
