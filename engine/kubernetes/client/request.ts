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
import { failureOfConnection, type Outcome, type RequestFailure, unreadable } from "./failure.ts";
import { describe, KubernetesError, type Operation, type Place } from "./errors.ts";
import { bounds } from "../objects/bounds.ts";
import { isTooDeep, parse } from "../objects/checks.ts";
import type { Log } from "./log.ts";
import { backoff, type RetryPolicy, type Time } from "./retry.ts";
import type { Session, Sessions } from "./session.ts";
import { aboutCluster } from "../../base/user-error.ts";

export type Reader<T> = (body: unknown, bytes: number) => Outcome<T>;

/** The body lasts until one side ends it. */
interface Stream {
  readonly session: Session;
  readonly body: AsyncIterable<Buffer>;
}

export interface Settings extends ExchangeSettings {
  readonly sessions: Sessions;
  readonly place: Place;
  readonly policy: RetryPolicy;
  readonly breaker: Breaker;
  readonly concurrency: LimitFunction;
  readonly time: Time;
  readonly cancellation: Cancellation | undefined;
  readonly log: Log | undefined;
}

export type Requester = ReturnType<typeof requesterOf>;

/** Requests are repeated until they are answered or out of attempts. Methods throw KubernetesError. */
export function requesterOf(settings: Settings) {
  const { sessions, place, policy, breaker, concurrency, time, cancellation, log } = settings;
  const usual: TimeLimit = {
    milliseconds: policy.working.within,
    tooLate: `no complete answer within ${inSeconds(policy.working.within)}`,
  };
  /** A server that answered last time gets more attempts than one that has never answered. */
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

  /** Returns before the body arrives. */
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
    const { text, bytes } = whole.value;
    const result = await aboutCluster(place.cluster, () =>
      Promise.resolve(read(parse(text), bytes)),
    );
    if ("value" in result) return result;
    const failure = isTooDeep(text) ? unreadable(tooDeep) : result.failure;
    return { failure: { ...failure, status: answer.value.statusCode } };
  };

  /** After a 401, a request is sent again if there are other credentials. */
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

  /** An attempt ends in time, whatever the server sends, and however slowly. */
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

  const callLimited = async <T>(request: Request, read: Reader<T>, limit = usual): Promise<T> => {
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
      // The server asks for the minimum.
      const wait = (failure.retryAfter ?? 0) + backoff(attempts, policy.backoff, time);
      const isLate = time.now() - start + wait >= budget.within;
      if (!failure.transient || attempts >= budget.attempts || isLate) {
        breaker.ended(failure, isRead);
        // The next calls should give up quickly instead of each retrying for long.
        if (failure.kind === "unreachable") isAnswering = false;
        throw errorOf(request.operation, failure, attempts);
      }
      log?.(`${inLog(request)}: retry in ${Math.round(wait)} ms (${briefly(failure)})`);
      await time.sleep(wait, cancellation?.stop);
    }
  };

  return {
    /** @param limit shortens the time limit of every call */
    call: <T>(request: Request, read: Reader<T>, limit?: TimeLimit): Promise<T> =>
      // The time limit of a call begins with its turn. A call keeps its turn while it waits for another attempt, so that
      // a server that refuses some (429) gets fewer.
      concurrency(() => callLimited(request, read, limit)),

    /** @param silence milliseconds without a byte after which the stream fails */
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

const tooDeep = `the answer has more than ${bounds.depth.most} levels of lists and maps`;

/** The log must not have the server's message. */
function briefly({ status, kind, reason = "" }: RequestFailure): string {
  const word = /^\w{1,40}$/.test(reason) ? [reason] : [];
  return [...(status === undefined ? [] : [status]), kind, ...word].join(" ");
}
