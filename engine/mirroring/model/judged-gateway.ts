import { isIP } from "node:net";
import type { Service } from "../../kubernetes/objects/objects.ts";
import type { Result } from "../../result.ts";
import { messageOf } from "../../user-error.ts";
import { type OwnAddresses, refusedAddress, usableOf } from "./gateway-addresses.ts";
import { type GatewayFacts, gatewayFacts, isPinned, refusedAddresses } from "./gateway.ts";
import type { GatewaySource } from "./link.ts";

/** All addresses of a hostname; rejects where it has none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/** What a target's word about its gateway is judged by. */
export interface GatewayJudge {
  readonly resolve: Resolve;
  /** What answers where in the source; undefined where the source can't be read. */
  readonly own: () => Promise<OwnAddresses | undefined>;
}

/** A gateway of which every address was judged. */
export interface JudgedGateway {
  /** As the Link names it, which has an IP or a hostname for each address. */
  readonly facts: GatewayFacts;
  /** The IPs at which the source's proxies dial it, sorted. Empty: none of its hostnames resolves. */
  readonly dialled: readonly string[];
  readonly refused: readonly string[];
  /** Hostnames that do not resolve, each with the reason. */
  readonly failed: readonly string[];
}

/**
 * Where a gateway is, for mirrors and for the Link alike. What the config says is not judged. What the target announces
 * is: its addresses, and all addresses that its hostnames resolve to. Linkerd's controller resolves a hostname again
 * by itself, so the Link has the addresses in its place where the config restricts them, or where one of them is refused.
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
        // What a target announces is a whole name, which the search domains of this machine must not complete.
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

/** The sentence about an address that is not used while another is. */
export function leftOut(target: string, why: string): string {
  return `one address of the gateway of ${target} is left out: ${why}`;
}
