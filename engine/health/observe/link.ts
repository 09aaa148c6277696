import { selects } from "../../mirroring/decide/policies/selection.ts";
import { accessRules, discoverySelectors, linkUse } from "../../credentials/rules.ts";
import { credentialsName } from "../../credentials/objects.ts";
import { defined } from "../../kubernetes/objects/defined.ts";
import { objectKey } from "../../kubernetes/objects/objects.ts";
import { resources } from "../../kubernetes/objects/resources.ts";
import type { GatewayReading } from "../../mirroring/model/gateway.ts";
import type { GatewaySource, LinkSpec } from "../../mirroring/model/link.ts";
import type { ClusterSnapshot } from "../../mirroring/model/snapshot.ts";
import { judgedGateway } from "../../mirroring/model/judged-gateway.ts";
import { judgeFor, readGateway } from "../../mirroring/observe/gateway.ts";
import { probeGateway } from "../../mirroring/observe/gateway-probe.ts";
import type { Clusters } from "../../mirroring/observe/clusters.ts";
import type { HealthLink, HealthMesh } from "../mesh.ts";
import {
  type ClusterFacts,
  type LinkFacts,
  read,
  type SecretReading,
  type Trial,
  valueIn,
} from "../view.ts";
import { tryCredentials } from "./trial.ts";
import { UserError } from "../../user-error.ts";

/** A link with its defaults. */
export interface FilledLink extends HealthLink {
  readonly link: LinkSpec;
}

interface Ends extends FilledLink {
  readonly source: ClusterFacts;
  readonly target: ClusterFacts;
}

/**
 * Reads what a link is judged by besides its clusters. Never throws.
 *
 * @param observed its gateway, where mirrors are decided by it
 */
export async function readLink(
  world: Clusters,
  mesh: HealthMesh,
  ends: Ends,
  observed: GatewayReading | undefined,
): Promise<LinkFacts> {
  const { link, target } = ends;
  const { gateway: said } = link;
  const judge = judgeFor(world, link.source, mesh.clusters[link.source]);
  const [gateway, credentials] = await Promise.all([
    // Where it is not observed, no mirrors of this program are decided by it.
    read(async () => observed ?? readGateway(link, snapshotOf(target), judge)),
    readCredentials(world, mesh, ends),
  ]);
  const gatewayIn = (at: GatewaySource) =>
    read(async () => {
      const service = snapshotOf(target).services.get(objectKey(at.namespace, at.name));
      const where = `${link.target}/${at.namespace}/${at.name}`;
      return judgedGateway(at, service, where, judge);
    });
  const found = valueIn(gateway);
  const { time } = world;
  const probe = found && (await probeGateway(link, snapshotOf(target), found, { time }));
  return {
    gateway,
    ...(said !== false && { gatewayFacts: await gatewayIn(said) }),
    ...defined({ credentials, probe }),
  };
}

function snapshotOf({ snapshot }: ClusterFacts): ClusterSnapshot {
  if ("why" in snapshot) throw new UserError(snapshot.why);
  return snapshot.value;
}

/** Whether traffic of the link goes straight to pods, with or without a gateway beside. */
export function leadsToPods(link: LinkSpec, { snapshot }: ClusterFacts): boolean {
  const read = valueIn(snapshot);
  return link.gateway === false || (read !== undefined && discovers(link, read));
}

function discovers(link: LinkSpec, { services }: ClusterSnapshot): boolean {
  const selectors = discoverySelectors(link);
  return [...services.values()].some(({ metadata }) =>
    selectors.some((selector) => selects(selector, metadata.labels)),
  );
}

async function readCredentials(
  world: Clusters,
  mesh: HealthMesh,
  { link, mirroring, source, target }: Ends,
): Promise<LinkFacts["credentials"]> {
  const access = mesh.clusters[link.target];
  const from = mesh.clusters[link.source];
  const isRead = source.linkerd !== undefined && target.linkerd !== undefined;
  if (!isRead || access === undefined || from === undefined) return undefined;
  const snapshot = snapshotOf(target);
  const context = {
    target: link.target,
    uid: snapshot.services.get("default/kubernetes")?.metadata.uid,
    rules: accessRules([linkUse(link, mirroring, discovers(link, snapshot))]),
  };
  // Both Secrets hold the same kubeconfig, as a rule.
  const trials = new Map<string, Promise<Trial>>();
  const attempt = (kubeconfig: string): Promise<Trial> => {
    const known = trials.get(kubeconfig) ?? tryCredentials(kubeconfig, context, world);
    trials.set(kubeconfig, known);
    return known;
  };
  const kubernetes = await world.client(link.source, from);
  const secretIn = (namespace: string) =>
    read(async (): Promise<SecretReading | undefined> => {
      const at = { namespace, name: credentialsName(link.target) };
      const secret = await kubernetes.find(resources.secrets, at);
      if (secret === undefined) return undefined;
      const { type = "", metadata, data } = secret;
      const { labels = {}, annotations = {} } = metadata;
      const kubeconfig = Buffer.from(data?.kubeconfig ?? "", "base64").toString("utf8");
      return { type, labels, annotations, trial: await attempt(kubeconfig) };
    });
  const [mirror, destination] = await Promise.all([
    secretIn(mesh.multiclusterNamespace),
    secretIn(mesh.linkerdNamespace),
  ]);
  return { mirror, destination };
}
