import { request } from "node:http";
import { failureOfConnection } from "../kubernetes/client/failure.ts";
import { systemTime, type Time } from "../kubernetes/client/retry.ts";
import { omitUndefined } from "../kubernetes/objects/omit-undefined.ts";
import { inSeconds } from "../kubernetes/objects/duration.ts";
import { objectKey } from "../kubernetes/objects/objects.ts";
import { valueIn } from "../result.ts";
import { messageOf, UserError } from "../user-error.ts";
import type { GatewayReading, ProbeResult } from "../mirroring/model/gateway.ts";
import { gatewayProbe } from "../mirroring/decide/gateway-facts.ts";
import type { LinkSpec } from "../mirroring/model/link.ts";
import type { ClusterSnapshot } from "../mirroring/model/snapshot.ts";
import { annotation, probePort } from "../mirroring/model/vocabulary.ts";

/** A probe is sent to all addresses of the gateway. */
export interface ProbeTarget {
  /** IPs. */
  readonly addresses: readonly string[];
  readonly port: number;
  readonly path: string;
}

/** The time limit for one address to connect and send the status line, in milliseconds. */
const answerTimeout = 1_500;

/** Bytes. Real answers to a probe are far smaller. */
const maxHeaderSize = 8_192;

export interface ProbeOptions {
  readonly time?: Time;
  /** Aborting it ends the probes. */
  readonly stop?: AbortSignal | undefined;
}

/** Sends one probe and never rejects. The result says why the gateway is down: `HTTP status 503`. */
export type SendProbe = (
  target: ProbeTarget,
  options?: ProbeOptions,
) => Promise<string | undefined>;

/**
 * Probes the gateway of a link that asks for it (`gatewayProbe`), as its Service in the target says. Mirrors don't
 * depend on the result.
 *
 * @returns undefined if the link does not ask for it, or its gateway is not known
 */
export async function probeGateway(
  link: LinkSpec,
  target: ClusterSnapshot,
  reading: GatewayReading,
  options: ProbeOptions = {},
  send: SendProbe = sendProbe,
): Promise<ProbeResult | undefined> {
  const known = valueIn(reading);
  if (!link.gatewayProbe || link.gateway === false || known === undefined) return undefined;
  const { namespace, name } = link.gateway;
  const where = `${target.cluster}/${namespace}/${name}`;
  const found = gatewayProbe(target.services.get(objectKey(namespace, name)), where);
  if (found === undefined)
    return {
      why: `the gateway Service ${where} offers no probe: it needs the annotation ${annotation.probePath} and a port named ${probePort}`,
    };
  if ("mistake" in found) return { why: found.mistake };
  const { path, port } = found.probe;
  const { time = systemTime } = options;
  const sent = time.now();
  const down = await send({ addresses: known.gateway.addresses, path, port }, options);
  return { path, port, milliseconds: time.now() - sent, ...omitUndefined({ down }) };
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
    if (failure !== undefined) throw new UserError(failure);
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
 * The target chooses the address, which may be any machine that the runner reaches. So the request carries no
 * credential and uses no proxy of the environment, redirects are not followed, and only the status is read.
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
