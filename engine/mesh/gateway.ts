import type { ClusterAccess } from "../kubernetes/kubeconfig/kubeconfig.ts";
import { objectKey } from "../kubernetes/objects/objects.ts";
import { type OwnAddresses, ownAddresses } from "../mirroring/decide/gateway-addresses.ts";
import type { GatewayReading } from "../mirroring/model/gateway.ts";
import { type GatewayJudge, judgedGateway, leftOut } from "../mirroring/decide/gateway-facts.ts";
import type { LinkSpec } from "../mirroring/model/link.ts";
import type { ClusterSnapshot } from "../mirroring/model/snapshot.ts";
import { unlessBug } from "../user-error.ts";
import type { Clusters } from "./clusters.ts";

/** Without access to the source, its own addresses are unknown. */
export function judgeFor(
  clusters: Pick<Clusters, "snapshot" | "nodes" | "resolve">,
  source: string,
  access: ClusterAccess | undefined,
): GatewayJudge {
  let own: Promise<OwnAddresses | undefined> | undefined;
  const readOwn = async (of: ClusterAccess): Promise<OwnAddresses> => {
    const snapshot = await clusters.snapshot(source, of);
    const nodes = await clusters.nodes(source, of).catch(unlessBug([]));
    return ownAddresses({ ...snapshot, nodes });
  };
  const unread = Promise.resolve(undefined);
  return {
    resolve: (name) => clusters.resolve(name),
    own: () =>
      (own ??= access === undefined ? unread : readOwn(access).catch(unlessBug(undefined))),
  };
}

/**
 * Hostnames are resolved to IPs (linkerd-behaviour.md 2.9). Names that don't resolve, and announced addresses that may
 * not be used, are left out with a warning if another address remains.
 */
export async function readGateway(
  link: LinkSpec,
  target: ClusterSnapshot,
  judge: GatewayJudge,
): Promise<GatewayReading> {
  if (link.gateway === false)
    return {
      why: `link ${link.source} → ${link.target} has no gateway (gateway: false): label the Service mirror.linkerd.io/exported=remote-discovery instead, or give the link a gateway`,
      cause: "invalid",
    };
  const { namespace, name } = link.gateway;
  const service = target.services.get(objectKey(namespace, name));
  const where = `${target.cluster}/${namespace}/${name}`;
  const judged = await judgedGateway(link.gateway, service, where, judge);
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
