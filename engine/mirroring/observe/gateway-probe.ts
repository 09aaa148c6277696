import { request } from "node:http";
import { failureOfConnection } from "../../kubernetes/client/failure.ts";
import { inSeconds, parseDuration } from "../../kubernetes/objects/duration.ts";
import { systemTime, type Time } from "../../kubernetes/client/retry.ts";
import { messageOf } from "../../message.ts";
import { afterProbe, alive, type Liveness } from "../model/gateway-probe.ts";
import type { GatewayProbe } from "../model/gateway.ts";

/** Where a gateway is probed, and how. */
export interface ProbeTarget extends GatewayProbe {
  /** IPs: those of the gateway. */
  readonly addresses: readonly string[];
}

/** Milliseconds that an address has to answer one probe, from connecting to the status line. */
const answerTimeout = 1_500;

/** Of a run that has to come to an end: together they take 11.5 s at most, and 6.5 s by default. */
const mostAttempts = 5;
const longestPause = 1_000;

/** More than any answer to a probe has; in bytes. */
const maxHeaderSize = 8_192;

export interface ProbeOptions {
  readonly time?: Time;
  /** Ends what is under way. */
  readonly stop?: AbortSignal | undefined;
}

/** One probe; undefined: the gateway is alive. What else it gives says why not: `HTTP status 503`. Never rejects. */
export type SendProbe = (
  target: ProbeTarget,
  options?: ProbeOptions,
) => Promise<string | undefined>;

/**
 * As many probes as it takes to tell whether a gateway is alive, from knowing nothing of it. Those
 * after a failure come no later than a second after each other: a run does not wait for the period.
 */
export async function livenessNow(
  target: ProbeTarget,
  { time = systemTime, stop }: ProbeOptions = {},
  send: SendProbe = sendProbe,
): Promise<Liveness> {
  const threshold = Math.min(target.threshold, mostAttempts);
  const pause = Math.min(parseDuration(target.period) ?? longestPause, longestPause);
  let seen = alive;
  for (;;) {
    const failure = await send(target, { time, stop });
    if (stop?.aborted === true) return alive;
    seen = afterProbe(seen, failure, { threshold });
    if (failure === undefined || seen.down !== undefined) return seen;
    await time.sleep(pause, stop);
  }
}

/**
 * Sends one probe to every address of the gateway, as Linkerd's probe worker sends it to the one that
 * its proxy picks: a GET over plain HTTP, which status 200 alone answers. An address that answers is
 * enough, since a gateway is alive or down as a whole.
 */
export const sendProbe: SendProbe = async (target, { time = systemTime, stop } = {}) => {
  const answered = new AbortController();
  const ended = stop === undefined ? answered.signal : AbortSignal.any([answered.signal, stop]);
  const asked = target.addresses.map(async (address) => {
    const failure = await ask(address, target, time, ended);
    // `any` takes the first that does not reject.
    if (failure !== undefined) throw new Error(failure);
  });
  try {
    await Promise.any(asked);
    return undefined;
  } catch (error) {
    const failures = error instanceof AggregateError ? error.errors.map(messageOf) : [];
    return [...new Set(failures)].join("; ");
  } finally {
    answered.abort();
  }
};

/**
 * The target says what is asked for, and may say it of any machine that the runner reaches: nothing
 * of the runner goes along (no credential, no proxy of the environment), a redirect is an answer like
 * any other, and of the answer nothing is looked at but its status.
 */
function ask(
  host: string,
  { port, path }: ProbeTarget,
  time: Time,
  ended: AbortSignal,
): Promise<string | undefined> {
  const late = new AbortController();
  const signal = AbortSignal.any([late.signal, ended]);
  return new Promise<string | undefined>((resolve) => {
    const cancel = time.alarm(answerTimeout, () => {
      late.abort();
      resolve(`no answer within ${inSeconds(answerTimeout)}`);
    });
    const sent = request({ host, port, path, agent: false, signal, maxHeaderSize });
    const settle = (failure: string | undefined) => {
      cancel();
      resolve(failure);
      sent.destroy();
    };
    sent.on("response", ({ statusCode = 0 }) => {
      settle(statusCode === 200 ? undefined : `HTTP status ${statusCode}`);
    });
    sent.on("error", (error) => {
      settle(failureOfConnection(error).detail);
    });
    sent.on("close", () => {
      settle("the connection was closed without an answer");
    });
    sent.end();
  });
}
