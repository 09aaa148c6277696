import { isIP } from "node:net";
import type { Service } from "../../kubernetes/objects/objects.ts";
import type { Result } from "../../result.ts";
import { messageOf } from "../../user-error.ts";
import { type OwnAddresses, refusedAddress, usableOf } from "./gateway-addresses.ts";
import { type GatewayFacts, gatewayFacts, isPinned, refusedAddresses } from "./gateway.ts";
import type { GatewaySource } from "./link.ts";

/** Resolves a host name to all its addresses; rejects if it has none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/** The facts by which a target's gateway addresses are judged. */
export interface GatewayJudge {
  readonly resolve: Resolve;
  /** The source's own addresses; undefined if the source can't be read. */
  readonly own: () => Promise<OwnAddresses | undefined>;
}

export interface JudgedGateway {
  /** The gateway as the Link names it, with an IP or a host name for each address. */
  readonly facts: GatewayFacts;
  /** The IPs to which the source's proxies connect, sorted. Empty if no host name resolves. */
  readonly dialled: readonly string[];
  readonly refused: readonly string[];
  /** Host names that don't resolve, each with the reason. */
  readonly failed: readonly string[];
}

/**
 * Finds a gateway's addresses, for mirrors and for the Link. Addresses from the config are not judged. Those that the
 * target announces are, and so are all addresses that its host names resolve to. Linkerd's controller resolves a host
 * name again by itself, so the Link gets the addresses instead if the config restricts them or one of them is
 * refused.
 *
 * @param where names the Service in sentences: `west/linkerd-multicluster/linkerd-gateway`
 */
export async function judgedGateway(
  said: GatewaySource,
  service: Service | undefined,
  where: string,
  judge: GatewayJudge,
): Promise<Result<JudgedGateway>> {
  const pinned = isPinned(said);
  const own = pinned ? undefined : await judge.own();
  const answer = gatewayFacts(said, service, where, own);
  if ("why" in answer) return answer;
  const { facts } = answer.value;
  const failed: string[] = [];
  const resolved = await Promise.all(
    facts.addresses.map(async (entry) => {
      if (isIP(entry) !== 0) return { entry, ips: [entry] };
      try {
        // A target announces a complete name, so this machine's search domains must not be added to it.
        return { entry, ips: await judge.resolve(pinned ? entry : entry.replace(/\.?$/, ".")) };
      } catch (error) {
        failed.push(`${entry}: ${messageOf(error)}`);
        return { entry, ips: [] };
      }
    }),
  );
  const found = [...new Set(resolved.flatMap(({ ips }) => ips))].sort();
  if (pinned) return { value: { facts, dialled: found, refused: [], failed } };
  const rules = { allowed: said.allowedAddresses, own };
  const { allowed, refused } = usableOf(found, rules);
  const isNamed = (ips: readonly string[]) =>
    said.allowedAddresses === undefined &&
    ips.every((ip) => refusedAddress(ip, rules) === undefined);
  const named = resolved.flatMap(({ entry, ips }) =>
    isNamed(ips) ? [entry] : allowed.filter((ip) => ips.includes(ip)),
  );
  const all = [...answer.value.refused, ...refused];
  if (named.length === 0)
    return {
      why: refusedAddresses(where, [...failed, ...all]),
      cause: refused.length === 0 ? "unreachable" : "refused",
    };
  return {
    value: {
      facts: { ...facts, addresses: [...new Set(named)] },
      dialled: allowed,
      refused: all,
      failed,
    },
  };
}

/** The sentence about an address that is refused while others are used. */
export function leftOut(target: string, why: string): string {
  return `one address of the gateway of ${target} is left out: ${why}`;
}
