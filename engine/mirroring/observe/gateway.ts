import type { ClusterAccess } from "../../kubernetes/kubeconfig/kubeconfig.ts";
import { objectKey } from "../../kubernetes/objects/objects.ts";
import { type OwnAddresses, ownAddresses } from "../model/gateway-addresses.ts";
import type { GatewayReading } from "../model/gateway.ts";
import { type GatewayJudge, judgedGateway, leftOut } from "../model/judged-gateway.ts";
import type { LinkSpec } from "../model/link.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import type { Clusters } from "./clusters.ts";
import { unlessBug } from "../../user-error.ts";

/** @param access of the source; absent: nothing is known of it */
export function judgeFor(
  clusters: Pick<Clusters, "snapshot" | "nodes" | "resolve">,
  source: string,
  access: ClusterAccess | undefined,
): GatewayJudge {
  let own: Promise<OwnAddresses | undefined> | undefined;
  const readOwn = async () => {
    if (access === undefined) return undefined;
    const snapshot = await clusters.snapshot(source, access);
    return ownAddresses({ ...snapshot, nodes: await clusters.nodes(source, access) });
  };
  return {
    resolve: (name) => clusters.resolve(name),
    own: () => (own ??= readOwn().catch(unlessBug(undefined))),
  };
}

/**
 * The target's gateway with its hostnames resolved to IPs (linkerd-behaviour.md 2.9). What fails to
 * resolve, and what the target announces and may not be dialled, is left out with a warning while
 * another address is left.
 */
export async function readGateway(
  link: LinkSpec,
  target: ClusterSnapshot,
  judge: GatewayJudge,
): Promise<GatewayReading> {
  if (link.gateway === false)
    return unknown(
      `link ${link.source}/${link.target} has no gateway (gateway: false): label the Service mirror.linkerd.io/exported=remote-discovery instead, or give the link a gateway`,
    );
  const { namespace, name } = link.gateway;
  const service = target.services.get(objectKey(namespace, name));
  const where = `${target.cluster}/${namespace}/${name}`;
  const judged = await judgedGateway(link.gateway, service, where, judge);
  if ("missing" in judged) return unknown(judged.missing);
  const { facts, dialled, failed, refused } = judged;
  if (dialled.length === 0)
    return unknown(`the gateway of ${target.cluster} does not resolve (${failed.join("; ")})`);
  return {
    known: true,
    gateway: { ...facts, addresses: dialled },
    warnings: [...failed, ...refused].map((why) => leftOut(target.cluster, why)),
  };
}

function unknown(why: string): GatewayReading {
  return { known: false, why };
}
