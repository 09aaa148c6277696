import { failureOfConnection } from "../kubernetes/client/failure.ts";
import { systemTime, type Time } from "../kubernetes/client/retry.ts";
import type { ClusterAccess } from "../kubernetes/kubeconfig/kubeconfig.ts";
import { inSeconds } from "../kubernetes/objects/duration.ts";
import { objectKey } from "../kubernetes/objects/objects.ts";
import { omitUndefined } from "../base/omit-undefined.ts";
import { type OwnAddresses, ownAddresses } from "../gateway/addresses.ts";
import { type AddressLookup, gatewayFactsOf, leftOut, offeredProbe } from "../gateway/facts.ts";
import type { Answered } from "../model/prober.ts";
import type { GatewayReading, ProbeResult } from "../model/gateway.ts";
import type { LinkSpec } from "../model/link.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import { invalid, valueIn } from "../base/result.ts";
import { aboutCluster, messageOf, unlessBug, UserError } from "../base/user-error.ts";
import type { Clusters } from "./clusters.ts";
import type { Unheard } from "./prober.ts";

/** Without access to the source, its own addresses are unknown. */
export function lookupFor(
  clusters: Pick<Clusters, "snapshot" | "nodes" | "resolve">,
  source: string,
  access: ClusterAccess | undefined,
): AddressLookup {
  let own: Promise<OwnAddresses | undefined> | undefined;
  const readOwn = async () => {
    if (access === undefined) return undefined;
    const snapshot = await clusters.snapshot(source, access);
    const nodes = await clusters.nodes(source, access).catch(unlessBug([]));
    return ownAddresses({ ...snapshot, nodes });
  };
  return {
    resolve: (name) => clusters.resolve(name),
    own: () => (own ??= aboutCluster(source, readOwn).catch(unlessBug(undefined))),
  };
}

/**
 * Hostnames are resolved to IPs (linkerd-behaviour.md 2.9). Names that don't resolve, and announced addresses that may
 * not be used, are left out with a warning if another address remains.
 */
export async function readGateway(
  link: LinkSpec,
  target: ClusterSnapshot,
  lookup: AddressLookup,
): Promise<GatewayReading> {
  if (link.gateway === false)
    return invalid(
      `link ${link.source} → ${link.target} has no gateway (gateway: false): label the Service mirror.linkerd.io/exported=remote-discovery instead, or give the link a gateway`,
    );
  const { namespace, name } = link.gateway;
  const service = target.services.get(objectKey(namespace, name));
  const where = `${target.cluster}/${namespace}/${name}`;
  const judged = await gatewayFactsOf(link.gateway, service, where, lookup);
  if ("why" in judged) return judged;
  const { facts, dialled, failed, refused } = judged.value;
  if (dialled.length === 0)
    return {
      why: `the gateway of ${target.cluster} does not resolve (${failed.join("; ")}): a new load balancer can take minutes to appear in DNS, so run again, or set gateway.addresses on the link`,
      cause: "unreachable",
    };
  const warnings = [...failed, ...refused].map((why) => leftOut(target.cluster, why));
  return { value: { gateway: { ...facts, addresses: dialled }, announced: facts, warnings } };
}

export interface ProbeTarget {
  readonly addresses: readonly string[];
  readonly port: number;
  readonly path: string;
}

/** An address has this many milliseconds to connect and to send the status line. */
const answerTimeout = 1_500;

/** Real answers to a probe have far fewer bytes. */
const maxHeaderSize = 8_192;

/**
 * The link's prober comes first, which is where the requests come from. Then the runner asks, if the link has it do so.
 *
 * @param said by the prober; undefined if the link has none
 * @returns undefined if nobody asks, or if the gateway is not known
 */
export async function probeGateway(
  link: LinkSpec,
  target: ClusterSnapshot,
  reading: GatewayReading,
  { said, time = systemTime, send = sendProbe }: Asking = {},
): Promise<ProbeResult | undefined> {
  const known = valueIn(reading);
  const isAsked = link.gatewayProbe || said !== undefined;
  if (!isAsked || link.gateway === false || known === undefined) return undefined;
  const { namespace, name } = link.gateway;
  const where = `${target.cluster}/${namespace}/${name}`;
  const found = offeredProbe(target.services.get(objectKey(namespace, name)), where);
  if ("why" in found) return found;
  const { path, port } = found.probe;
  if (said !== undefined && !("why" in said)) return { path, port, ...said, isByProber: true };
  if (!link.gatewayProbe) return said;
  const sent = time.now();
  const down = await send({ addresses: known.gateway.addresses, path, port }, time);
  return { path, port, milliseconds: time.now() - sent, ...omitUndefined({ down }) };
}

interface Asking {
  readonly said?: Answered | Unheard | undefined;
  readonly time?: Time;
  readonly send?: typeof sendProbe;
}

/**
 * Sends one GET to every address, as Linkerd's probe worker does to one. Status 200 alone counts, and one is enough, since
 * a gateway is down as a whole. It returns why the gateway is down: `HTTP status 503`.
 */
export async function sendProbe(
  target: ProbeTarget,
  time: Time = systemTime,
  within = answerTimeout,
): Promise<string | undefined> {
  const answered = new AbortController();
  const asked = target.addresses.map(async (address) => {
    const failure = await ask(address, target, time, within, answered.signal);
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
}

/** The target chooses the address, so there is no credential, proxy or redirect, and only the status is read. */
function ask(
  host: string,
  { port, path }: ProbeTarget,
  time: Time,
  within: number,
  ended: AbortSignal,
): Promise<string | undefined> {
  const late = new AbortController();
  const signal = AbortSignal.any([late.signal, ended]);
  return new Promise<string | undefined>((resolve) => {
    const cancel = time.alarm(within, () => {
      late.abort();
      resolve(`no answer within ${inSeconds(within)}`);
    });
    // An import of node:http makes Node load an undici of its own, in every process.
    const { request } = process.getBuiltinModule("node:http");
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
