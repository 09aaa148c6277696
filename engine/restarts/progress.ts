import type { Kubernetes } from "../kubernetes/client/interface.ts";
import { resources } from "../kubernetes/objects/resources.ts";
import { anchorsBehind } from "../trust/certificate.ts";
import { isLeftOut } from "../trust/live.ts";
import { readIssuer } from "../trust/observe.ts";
import { isLeaving, proxyOf } from "../trust/proxy.ts";
import { lagOf } from "./decide.ts";
import { standardOf } from "./observe.ts";
import type { RestartArgs } from "./restarts.ts";

/** The state of a cluster that a rotation relies on. Anchors are fingerprints. */
export interface Progress {
  readonly anchors: readonly string[];
  /** The issuer is under these. */
  readonly issuer: readonly string[];
  readonly controlPlane: PodCount;
  /** All other pods with a proxy are counted here. */
  readonly proxies: PodCount;
}

interface PodCount {
  /** Their proxies need no restart. */
  readonly current: number;
  readonly all: number;
}

/** @returns undefined if Linkerd isn't installed */
export async function progressIn(
  client: Kubernetes,
  {
    linkerdNamespace,
    leaving,
    ignored,
  }: Pick<RestartArgs, "linkerdNamespace" | "leaving" | "ignored">,
  now: Date,
): Promise<Progress | undefined> {
  const standard = await standardOf(client, linkerdNamespace, leaving, now);
  if (standard === undefined) return undefined;
  const { roots } = standard;
  const { issuer } = await readIssuer(client, linkerdNamespace);
  const labelSelector = `linkerd.io/control-plane-ns=${linkerdNamespace}`;
  const pods = (await client.list(resources.pods, { labelSelector })).filter(
    (pod) =>
      !isLeaving(pod) &&
      !isLeftOut(ignored, client.cluster, pod.metadata.namespace, pod.metadata.name) &&
      proxyOf(pod, roots, linkerdNamespace).length > 0,
  );
  const counted = (isControlPlane: boolean): PodCount => {
    const own = pods.filter(
      ({ metadata }) => (metadata.namespace === linkerdNamespace) === isControlPlane,
    );
    const current = own.filter((pod) => lagOf(pod, standard) === undefined);
    return { current: current.length, all: own.length };
  };
  return {
    anchors: roots.bundle.map(({ fingerprint }) => fingerprint),
    issuer: anchorsBehind(issuer, roots.bundle).map(({ fingerprint }) => fingerprint),
    controlPlane: counted(true),
    proxies: counted(false),
  };
}
