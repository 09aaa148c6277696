import { linkerdConfigOf } from "../credentials/linkerd-config.ts";
import { KubernetesError } from "../kubernetes/client/errors.ts";
import type { Kubernetes } from "../kubernetes/client/interface.ts";
import { debugLog } from "../kubernetes/client/log.ts";
import { identify } from "../kubernetes/identity.ts";
import type { ClusterAccess } from "../kubernetes/kubeconfig/kubeconfig.ts";
import { omitUndefined } from "../base/omit-undefined.ts";
import { type Result, resultOf, valueIn } from "../base/result.ts";
import type { ExternalFound } from "../trust/external.ts";
import type { LiveTrust } from "../trust/live.ts";
import { observeTrust, readExternal } from "../trust/observe.ts";
import {
  accessOf,
  ifTrusted,
  type InstallationsNeed,
  type MeshAccess,
  type Observed,
} from "./need.ts";
import { type InstallationReading, mapped } from "./reading.ts";

/** Returns sentences by cluster. A kubeconfig that only the update will make known is no mistake. */
export async function kubeconfigMistakes(
  accesses: MeshAccess["clusters"],
  open: (name: string, access: ClusterAccess) => Promise<unknown>,
): Promise<ReadonlyMap<string, string>> {
  const opened = await mapped(Object.entries(accesses), (access, name) =>
    resultOf(() => open(name, access)),
  );
  return new Map(
    [...opened].flatMap(([name, result]) =>
      "why" in result && result.cause === "invalid" ? [[name, result.why] as const] : [],
    ),
  );
}

export async function readInstallations(
  config: MeshAccess,
  clusters: Pick<Observed, "client" | "controllers">,
  { linkerdNamespace, clusters: needs }: InstallationsNeed,
): Promise<ReadonlyMap<string, InstallationReading>> {
  const identified = await mapped(Object.entries(needs), (_, name) =>
    ifTrusted(config, name, async (access): Promise<Identified> => {
      const client = await clusters.client(name, access);
      return { client, uid: await uidOf(client) };
    }),
  );
  for (const [name, cluster] of identified)
    debugLog()?.(`cluster ${name} has UID ${valueIn(cluster)?.uid ?? "unknown"}`);
  const clients = [...identified].flatMap(([name, cluster]): [string, Result<Kubernetes>][] =>
    needs[name]?.trust === true
      ? [[name, "why" in cluster ? cluster : { value: cluster.value.client }]]
      : [],
  );
  const trusts = await observeTrust(new Map(clients), linkerdNamespace);
  return mapped(identified, async (cluster, name): Promise<InstallationReading> => {
    const trust = trusts.get(name);
    const known = trust !== undefined && "why" in trust && trust.isBug ? trust : cluster;
    if ("why" in known) return { identity: known, ...omitUndefined({ trust }) };
    const { client, uid } = known.value;
    const found = await resultOf(() => factsOf(name, client, trust), name);
    // A rotation has to know that the cluster's trust is unknown.
    if ("why" in found) return { identity: found, ...(trust && { trust: found }) };
    return { identity: { value: uid }, ...omitUndefined({ trust }), ...found.value };
  });

  async function factsOf(name: string, client: Kubernetes, trust: LiveTrust | undefined) {
    const need = needs[name] ?? {};
    const [external, linkerd, controllers] = await Promise.all([
      need.external === true ? externalOf(client, trust, linkerdNamespace) : undefined,
      need.config === true ? resultOf(() => linkerdConfigOf(client, linkerdNamespace)) : undefined,
      need.controllers === true
        ? resultOf(() => clusters.controllers(name, accessOf(config.clusters, name)))
        : undefined,
    ]);
    return omitUndefined({ external, config: linkerd, controllers });
  }
}

/** Without trust, there is nothing to compare the rest with. */
async function externalOf(
  client: Kubernetes,
  trust: LiveTrust | undefined,
  namespace: string,
): Promise<Result<ExternalFound>> {
  if (trust !== undefined && "why" in trust) return trust;
  return resultOf(() => readExternal(client, namespace));
}

interface Identified {
  readonly client: Kubernetes;
  readonly uid: string | undefined;
}

/** A runner that may not read the UID may still read the rest. */
async function uidOf(client: Kubernetes): Promise<string | undefined> {
  try {
    return await identify(client);
  } catch (error) {
    if (!(error instanceof KubernetesError)) throw error;
    if (error.clusterUnavailable || error.kind === "unauthorized") throw error;
    return undefined;
  }
}
