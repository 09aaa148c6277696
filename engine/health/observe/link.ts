import { deniedOf } from "../../kubernetes/access-review.ts";
import { running } from "../../mirroring/model/controller.ts";
import { selects } from "../../mirroring/decide/policies/selection.ts";
import { accessRules, discoverySelectors, linkUse } from "../../credentials/rules.ts";
import { credentialsName } from "../../credentials/objects.ts";
import { objectKey, type Secret } from "../../kubernetes/objects/objects.ts";
import { resources } from "../../kubernetes/objects/resources.ts";
import { gatewayFacts, type GatewayReading } from "../../mirroring/model/gateway.ts";
import type { LinkSpec } from "../../mirroring/model/link.ts";
import type { ClusterSnapshot } from "../../mirroring/model/snapshot.ts";
import { readProbedGateway } from "../../mirroring/observe/gateway.ts";
import type { Clusters } from "../../mirroring/observe/clusters.ts";
import { controllerQuestions } from "../controller-questions.ts";
import type { HealthLink, HealthMesh } from "../mesh.ts";
import {
  type ClusterFacts,
  type ControllerReading,
  type LinkFacts,
  read,
  type SecretReading,
  type Trial,
} from "../view.ts";
import { tryCredentials } from "./trial.ts";

/** A link with its defaults. */
export interface FilledLink extends HealthLink {
  readonly link: LinkSpec;
}

/**
 * Reads what a link is judged by besides its clusters. Never throws.
 *
 * @param observed its gateway, where mirrors are decided by it
 */
export async function readLink(
  world: Clusters,
  mesh: HealthMesh,
  { link, mirroring }: FilledLink,
  ends: { readonly source: ClusterFacts; readonly target: ClusterFacts },
  observed: GatewayReading | undefined,
): Promise<LinkFacts> {
  const { gateway: said } = link;
  const [gateway, controller, credentials] = await Promise.all([
    read(async () => observed ?? readGatewayOf(link, ends, world)),
    readController(world, mesh, { link, mirroring, ...ends }),
    readCredentials(world, mesh, { link, mirroring, ...ends }),
  ]);
  return {
    gateway,
    ...(controller !== undefined && { controller }),
    ...(said !== false && {
      gatewayFacts: await read(() => {
        const service = valueOf(ends.target).services.get(objectKey(said.namespace, said.name));
        const where = `${link.target}/${said.namespace}/${said.name}`;
        return Promise.resolve(gatewayFacts(said, service, where));
      }),
    }),
    ...(credentials !== undefined && { credentials }),
  };
}

/** A gateway that no mirrors of this program are decided by. */
function readGatewayOf(
  link: LinkSpec,
  { source, target }: Readonly<Record<"source" | "target", ClusterFacts>>,
  world: Clusters,
): Promise<GatewayReading> {
  const from = "why" in source.snapshot ? undefined : source.snapshot.value;
  return readProbedGateway(link, valueOf(target), from, world);
}

function valueOf({ snapshot }: ClusterFacts): ClusterSnapshot {
  if ("why" in snapshot) throw new Error(snapshot.why);
  return snapshot.value;
}

interface Ends extends FilledLink {
  readonly source: ClusterFacts;
  readonly target: ClusterFacts;
}

async function readController(
  world: Clusters,
  mesh: HealthMesh,
  { link, mirroring, source: { controllers } }: Ends,
): Promise<ControllerReading | undefined> {
  const access = mesh.clusters[link.source];
  const isRead = controllers !== undefined && "value" in controllers;
  if (mirroring === "pulumi" || access === undefined || !isRead) return undefined;
  const [deployment] = running(controllers.value, link.target);
  if (deployment === undefined) return undefined;
  const { namespace, account: name } = deployment;
  const denied = await read(async () => {
    const client = await world.client(link.source, access);
    return deniedOf(controllerQuestions(link, namespace), client, { namespace, name });
  });
  return { deployment, denied };
}

/** Whether traffic of the link goes straight to pods, with or without a gateway beside. */
export function leadsToPods(link: LinkSpec, { snapshot }: ClusterFacts): boolean {
  return link.gateway === false || ("value" in snapshot && discovers(link, snapshot.value));
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
  const context = {
    target: link.target,
    access,
    uid: valueOf(target).services.get("default/kubernetes")?.metadata.uid,
    rules: accessRules([linkUse(link, mirroring, discovers(link, valueOf(target)))]),
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
    read(async () => {
      const at = { namespace, name: credentialsName(link.target) };
      const secret = await kubernetes.find(resources.secrets, at);
      return secret === undefined ? undefined : withoutContent(secret, attempt);
    });
  const [mirror, destination] = await Promise.all([
    secretIn(mesh.multiclusterNamespace),
    secretIn(mesh.linkerdNamespace),
  ]);
  return { mirror, destination };
}

async function withoutContent(
  { type = "", metadata, data }: Secret,
  attempt: (kubeconfig: string) => Promise<Trial>,
): Promise<SecretReading> {
  const { labels = {}, annotations = {} } = metadata;
  const kubeconfig = Buffer.from(data?.kubeconfig ?? "", "base64").toString("utf8");
  return { type, labels, annotations, trial: await attempt(kubeconfig) };
}
