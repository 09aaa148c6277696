import { isIP } from "node:net";
import type { GatewayReading } from "../model/gateway.ts";
import { gatewayLacks, loadBalancerAddresses, portNamed } from "../model/gateway-service.ts";
import type { GatewaySource, LinkSpec } from "../model/link.ts";
import { objectKey, type Service } from "../../kubernetes/objects.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import { annotation, gatewayPort } from "../model/vocabulary.ts";

/** All addresses of a hostname; rejects where it has none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/**
 * Where the target's gateway is: what the link says, and for the rest what the gateway Service
 * says, by the rules of `linkerd multicluster link-gen` (linkerd-behaviour.md 1.6). Hostnames
 * become IPs here (2.9); one that fails to resolve is passed over while another answers.
 */
export async function readGateway(
  link: LinkSpec,
  target: ClusterSnapshot,
  resolve: Resolve,
): Promise<GatewayReading> {
  if (link.gateway === false)
    return unknown(
      `link ${link.source}/${link.target} has no gateway (gateway: false): label the Service mirror.linkerd.io/exported=remote-discovery instead, or give the link a gateway`,
    );
  const { namespace, name } = link.gateway;
  const service = target.services.get(objectKey(namespace, name));
  const where = `${target.cluster}/${namespace}/${name}`;
  const facts = gatewayFacts(link.gateway, service);
  const missing = (["addresses", "port", "identity"] as const).filter(
    (fact) => facts[fact] === undefined,
  );
  if (facts.addresses === undefined || facts.port === undefined || facts.identity === undefined)
    return unknown(
      service === undefined
        ? `there is no gateway Service ${where}: install Linkerd's gateway there, or set gateway.${missing.join(", gateway.")} on the link`
        : missing.map((fact) => gatewayLacks[fact](where, service)).join("; "),
    );
  const { known, failed } = await resolveAll(facts.addresses, resolve);
  if (known.length === 0)
    return unknown(`the gateway of ${target.cluster} does not resolve (${failed.join("; ")})`);
  return {
    known: true,
    gateway: { addresses: known, port: facts.port, identity: facts.identity },
    warnings: failed.map(
      (why) => `one address of the gateway of ${target.cluster} is left out: ${why}`,
    ),
  };
}

interface Facts {
  readonly addresses: readonly string[] | undefined;
  readonly port: number | undefined;
  readonly identity: string | undefined;
}

function gatewayFacts(said: GatewaySource, service: Service | undefined): Facts {
  return {
    addresses: nonEmpty(said.addresses) ?? nonEmpty(loadBalancerAddresses(service)),
    port: said.port ?? portNamed(service, gatewayPort),
    identity:
      said.identity ?? (service?.metadata.annotations?.[annotation.gatewayIdentity] || undefined),
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
        failed.push(`${entry}: ${error instanceof Error ? error.message : String(error)}`);
        return [];
      }
    }),
  );
  return { known: [...new Set(found.flat())].sort(), failed };
}

function nonEmpty(list: readonly string[] | undefined): readonly string[] | undefined {
  return list === undefined || list.length === 0 ? undefined : list;
}

function unknown(why: string): GatewayReading {
  return { known: false, why };
}
