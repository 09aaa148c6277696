import { KubeconfigError, type Environment } from "../kubernetes/kubeconfig.ts";
import { KubernetesError } from "../kubernetes/errors.ts";
import type { Kubernetes } from "../kubernetes/interface.ts";
import { type ObjectName, type Resource, resources } from "../kubernetes/resources.ts";
import { gatewayFacts } from "./gateway.ts";
import { type Domains, domainsIn, linkerdConfigName } from "./linkerd-config.ts";
import { accountName } from "./names.ts";
import { configMaps, managedBy, secrets, tokenType } from "./resources.ts";
import { serverFacts } from "./server.ts";
import type { GatewayFacts, TargetArgs, TargetFacts } from "./state.ts";
import { type LiveToken, tokenDue } from "./tokens.ts";

/** What came of reading a target. */
export type TargetReading =
  | {
      readonly outcome: "read";
      readonly facts: TargetFacts;
      /** Why there is going to be a new token. */
      readonly rotates?: string;
      readonly notes: readonly string[];
    }
  /** Something is not there; `soon`: it comes by itself. In a preview this very run may make it. */
  | { readonly outcome: "missing"; readonly why: string; readonly soon: boolean }
  | { readonly outcome: "unreachable"; readonly why: string }
  | { readonly outcome: "mistaken"; readonly why: string };

export interface ReadingContext {
  readonly client: () => Promise<Kubernetes>;
  readonly now: () => Date;
  readonly environment?: Environment;
}

/** Reads what a link needs to know of its target; `before` is the token of the run before. */
export async function readTarget(
  args: TargetArgs,
  before: string | undefined,
  context: ReadingContext,
): Promise<TargetReading> {
  try {
    const server = await serverFacts(args, context.environment);
    const kubernetes = await context.client();
    const [domains, gateway, live] = await Promise.all([
      readDomains(args, kubernetes),
      readGateway(args, kubernetes),
      readTokens(args, kubernetes),
    ]);
    if ("outcome" in domains) return domains;
    if (gateway !== undefined && "outcome" in gateway) return gateway;
    const account = accountName(args.source);
    const { name, why } = tokenDue(account, args.rotation, live, before, context.now());
    return {
      outcome: "read",
      facts: { ...server, ...domains, ...(gateway !== undefined && { gateway }), token: name },
      ...(why !== undefined && { rotates: why }),
      notes: domainNotes(args, domains),
    };
  } catch (error) {
    if (error instanceof KubeconfigError) return { outcome: "mistaken", why: error.message };
    if (error instanceof KubernetesError) return { outcome: "unreachable", why: error.message };
    throw error;
  }
}

async function readDomains(
  { linkerdNamespace, target }: TargetArgs,
  kubernetes: Kubernetes,
): Promise<Domains | TargetReading> {
  const at = { namespace: linkerdNamespace, name: linkerdConfigName };
  const where = `ConfigMap ${target}/${at.namespace}/${at.name}`;
  const config = await getIfThere(kubernetes, configMaps, at);
  if (config === undefined)
    return {
      outcome: "missing",
      why: `there is no ${where}, so Linkerd is not installed there: install it, or let manage: all do so`,
      soon: false,
    };
  const domains = await domainsIn(config);
  const why = `${where} does not say its clusterDomain: see whether Linkerd is installed properly there`;
  return domains ?? { outcome: "mistaken", why };
}

/** Undefined for a link without gateway. */
async function readGateway(
  { gateway, target }: TargetArgs,
  kubernetes: Kubernetes,
): Promise<GatewayFacts | TargetReading | undefined> {
  if (gateway === false) return undefined;
  const { namespace, name } = gateway;
  const service = await getIfThere(kubernetes, resources.services, { namespace, name });
  const answer = gatewayFacts(gateway, service, `${target}/${namespace}/${name}`);
  if ("facts" in answer) return answer.facts;
  return { outcome: "missing", why: answer.missing, soon: answer.soon };
}

/** Names and ages of the account's tokens; one that is being deleted no longer counts. */
async function readTokens(
  { multiclusterNamespace, source }: TargetArgs,
  kubernetes: Kubernetes,
): Promise<LiveToken[]> {
  const labelSelector = Object.entries(managedBy)
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
  const found = await kubernetes.list(secrets, { namespace: multiclusterNamespace, labelSelector });
  const account = accountName(source);
  return found.flatMap(({ type, metadata }) => {
    const { name, annotations, creationTimestamp = "", deletionTimestamp } = metadata;
    const isOurs = annotations?.["kubernetes.io/service-account.name"] === account;
    if (type !== tokenType || !isOurs || deletionTimestamp !== undefined) return [];
    return [{ name, createdAt: new Date(creationTimestamp) }];
  });
}

async function getIfThere<T>(
  kubernetes: Kubernetes,
  resource: Resource<T>,
  at: ObjectName,
): Promise<T | undefined> {
  try {
    return await kubernetes.get(resource, at);
  } catch (error) {
    if (error instanceof KubernetesError && error.kind === "notFound") return undefined;
    throw error;
  }
}

function domainNotes({ target, targetDomain }: TargetArgs, { clusterDomain }: Domains): string[] {
  if (clusterDomain === targetDomain) return [];
  return [
    `Linkerd in cluster ${target} has cluster domain ${clusterDomain}, but clusters.${target}.clusterDomain is ${targetDomain}: mirrors would carry names that its gateway does not know, so correct the config`,
  ];
}
