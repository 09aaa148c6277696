import { isIP } from "node:net";
import {
  type Gateway,
  gatewayFacts,
  type GatewayProbe,
  type GatewayReading,
  refusedAddresses,
} from "../model/gateway.ts";
import { clusterAddresses, usableOf } from "../model/gateway-addresses.ts";
import { malformed, objectKey } from "../../kubernetes/objects/objects.ts";
import { messageOf } from "../../message.ts";
import { malformedObject } from "../model/reasons.ts";
import { probeOf } from "../model/gateway-probe.ts";
import type { LinkSpec } from "../model/link.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import type { Clusters } from "./clusters.ts";

/** All addresses of a hostname; rejects where it has none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/**
 * The target's gateway with its hostnames resolved to IPs (linkerd-behaviour.md 2.9). What fails to
 * resolve, and what the target announces and may not be dialled, is left out with a warning while
 * another address is left.
 *
 * @param source whose own Services' addresses are not the target's to announce, as far as it is known
 */
export async function readGateway(
  link: LinkSpec,
  target: ClusterSnapshot,
  source: ClusterSnapshot | undefined,
  resolve: Resolve,
): Promise<GatewayReading> {
  if (link.gateway === false)
    return unknown(
      `link ${link.source}/${link.target} has no gateway (gateway: false): label the Service mirror.linkerd.io/exported=remote-discovery instead, or give the link a gateway`,
    );
  const { namespace, name, addresses: pinned = [], allowedAddresses } = link.gateway;
  const service = target.services.get(objectKey(namespace, name));
  const where = `${target.cluster}/${namespace}/${name}`;
  const answer = gatewayFacts(link.gateway, service, where);
  if ("missing" in answer) {
    const problem = service?.[malformed];
    return unknown(
      problem === undefined
        ? answer.missing
        : malformedObject(target.cluster, "Service", problem).sentence,
    );
  }
  const { addresses, port, identity } = answer.facts;
  const { known, failed } = await resolveAll(
    addresses,
    // What a target announces is a whole name, which the search domains of this machine must not complete.
    pinned.length > 0 ? resolve : (hostname) => resolve(hostname.replace(/\.?$/, ".")),
  );
  if (known.length === 0)
    return unknown(`the gateway of ${target.cluster} does not resolve (${failed.join("; ")})`);
  // What a name resolves to is the target's word as well, unless the config names it.
  const { allowed, refused } =
    pinned.length > 0
      ? { allowed: known, refused: [] }
      : usableOf(known, {
          allowed: allowedAddresses,
          ...(source !== undefined && { own: clusterAddresses(source) }),
        });
  const left = [...failed, ...answer.refused, ...refused];
  if (allowed.length === 0) return unknown(refusedAddresses(where, left));
  return {
    known: true,
    gateway: { addresses: allowed, port, identity },
    warnings: left.map(
      (why) => `one address of the gateway of ${target.cluster} is left out: ${why}`,
    ),
  };
}

async function resolveAll(entries: readonly string[], resolve: Resolve) {
  const failed: string[] = [];
  const found = await Promise.all(
    entries.map(async (entry) => {
      if (isIP(entry) !== 0) return [entry];
      try {
        return await resolve(entry);
      } catch (error) {
        failed.push(`${entry}: ${messageOf(error)}`);
        return [];
      }
    }),
  );
  return { known: [...new Set(found.flat())].sort(), failed };
}

function unknown(why: string): GatewayReading {
  return { known: false, why };
}

/** The target's gateway, and where the link asks for it (`gatewayProbe`) whether it is alive. */
export async function readProbedGateway(
  link: LinkSpec,
  target: ClusterSnapshot,
  source: ClusterSnapshot | undefined,
  clusters: Pick<Clusters, "resolve" | "liveness">,
): Promise<GatewayReading> {
  const reading = await readGateway(link, target, source, (name) => clusters.resolve(name));
  if (!link.gatewayProbe || link.gateway === false || !reading.known) return reading;
  const { namespace, name } = link.gateway;
  const service = target.services.get(objectKey(namespace, name));
  const found = probeOf(service, `${target.cluster}/${namespace}/${name}`);
  if ("probe" in found)
    return { ...reading, gateway: await probed(reading.gateway, found.probe, clusters) };
  const warning = `its gateway is not probed and taken to be alive: ${found.why}`;
  return { ...reading, warnings: [...reading.warnings, warning] };
}

/** The gateway with what its probe says. */
async function probed(
  gateway: Gateway,
  { path, port, period, threshold }: GatewayProbe,
  clusters: Pick<Clusters, "liveness">,
): Promise<Gateway> {
  const how = { path, port, period, threshold };
  const { down } = await clusters.liveness({ addresses: gateway.addresses, ...how });
  return { ...gateway, probe: { ...how, ...(down !== undefined && { down }) } };
}
