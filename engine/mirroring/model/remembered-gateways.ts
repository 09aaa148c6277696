import { judged } from "./gateway-addresses.ts";
import type { Gateway, GatewayProbe } from "./gateway.ts";
import { linkOf } from "./link-settings.ts";
import type { Before, GatewayFact, MirrorsArgs } from "./state.ts";

/** What a run keeps of a gateway for the next one. */
export function gatewayFact({ addresses, port, identity, probe }: Gateway): GatewayFact {
  const fact = { addresses: addresses.join(", "), port, identity };
  if (probe === undefined) return fact;
  const { down, ...how } = probe;
  return { ...fact, probe: { ...how, alive: down === undefined } };
}

/** A gateway that is probed, by what the last run knew of it. */
export interface RememberedGateway {
  /** The name of its cluster. */
  readonly target: string;
  readonly gateway: Gateway & { readonly probe: GatewayProbe };
  /** What mirrors have gone by since that run. */
  readonly alive: boolean;
}

/**
 * The gateways that links have probed (`gatewayProbe`), for those who cannot ask the target: a run
 * that does not reach its API, and whoever looks between two runs.
 */
export function rememberedGateways(
  { gateways = {} }: Pick<Before, "gateways">,
  { links }: Pick<MirrorsArgs, "links">,
): RememberedGateway[] {
  return links.map(linkOf).flatMap(({ target, gatewayProbe, gateway: said }) => {
    const fact = gateways[target];
    if (!gatewayProbe || said === false || fact?.probe === undefined) return [];
    const addresses = fact.addresses.split(", ");
    // The config may have become stricter since.
    const isPinned = said.addresses !== undefined && said.addresses.length > 0;
    const { refused } = judged(isPinned ? [] : addresses, { allowed: said.allowedAddresses });
    if (refused.length > 0) return [];
    const { port, identity } = fact;
    const { alive, ...probe } = fact.probe;
    return [{ target, gateway: { addresses, port, identity, probe }, alive }];
  });
}
