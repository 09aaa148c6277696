import type { Kubernetes } from "../kubernetes/client/interface.ts";
import { omitUndefined } from "../base/omit-undefined.ts";
import { resources } from "../kubernetes/objects/resources.ts";
import { type Failure, resultOf } from "../base/result.ts";
import { gatewayProbe, type AddressLookup, gatewayFactsOf, leftOut } from "../gateway/facts.ts";
import {
  type Domains,
  linkerdConfigName,
  linkerdConfigOf,
  noClusterDomain,
} from "./linkerd-config.ts";
import { adoptionNotes } from "./adoption.ts";
import { selectorText } from "./rules.ts";
import { accountName } from "./objects.ts";
import { serverFacts } from "./server.ts";
import type { LinkGateway, TargetArgs, TargetFacts } from "./state.ts";
import { heldToken, type LiveToken, tokenDue, tokensOf } from "./tokens.ts";

export type TargetReading = Read<TargetRead>;

type Read<T> = { readonly value: T } | Missing;

/** With `soon`, what is missing will exist by itself. In a preview, this very run may create it. */
type Missing = Failure & { readonly soon?: boolean };

export interface TargetRead {
  readonly facts: TargetFacts;
  /** The token will be replaced for this reason. */
  readonly rotates?: string;
  /** None of the gateway's host names resolves, for this reason. */
  readonly unresolved?: string;
  readonly notes: readonly string[];
}

function missing(why: string, soon: boolean): Missing {
  return { why, cause: "refused", soon };
}

type Reader = Pick<Kubernetes, "cluster" | "find" | "list">;

interface ReadingContext {
  readonly client: () => Promise<Reader>;
  readonly source: () => Promise<Pick<Kubernetes, "cluster" | "find">>;
  readonly lookup: AddressLookup;
  readonly now: () => Date;
}

/** @param before the token of the previous run */
export async function readTarget(
  args: TargetArgs,
  before: string | undefined,
  context: ReadingContext,
): Promise<TargetReading> {
  if (args.targetRefused !== undefined) return { why: args.targetRefused, cause: "refused" };
  const reading = await resultOf(() => readFacts(args, before, context), args.target);
  return "why" in reading ? reading : reading.value;
}

async function readFacts(
  args: TargetArgs,
  before: string | undefined,
  context: ReadingContext,
): Promise<TargetReading> {
  const server = await serverFacts(args);
  const kubernetes = await context.client();
  const [domains, extension, gateway, live, discovers] = await Promise.all([
    readDomains(args, kubernetes),
    missingExtension(args, kubernetes),
    readGateway(args, kubernetes, context.lookup),
    readTokens(args, kubernetes),
    readDiscovery(args, kubernetes),
  ]);
  if ("why" in domains) return domains;
  if (extension !== undefined) return extension;
  if ("why" in gateway) return gateway;
  const account = accountName(args.source);
  const due = tokenDue(account, args.rotation, live, before, context.now());
  const { name, why, waits } = args.sourceUnreachable === true ? heldToken(due, live, before) : due;
  const { unresolved } = gateway.value ?? {};
  const facts = {
    ...server,
    ...domains.value,
    token: name,
    ...omitUndefined({ gateway: gateway.value?.facts, discovers }),
  };
  const notes = [...domainNotes(args, domains.value), ...(gateway.value?.notes ?? [])];
  if (waits !== undefined)
    notes.push(`the new token waits until cluster ${args.source} can be reached: ${waits}`);
  if (args.adopt !== undefined) {
    const adoption = { args, link: args.adopt, facts };
    const read = await resultOf(
      async () => adoptionNotes(adoption, await context.source(), kubernetes),
      args.source,
    );
    if ("why" in read) notes.push(`can't read the objects to adopt: ${read.why}`);
    else if ("why" in read.value) return read.value;
    else notes.push(...read.value.value);
  }
  return { value: { facts, notes, ...omitUndefined({ rotates: why, unresolved }) } };
}

/** If another stack installs the target, the namespace for the account may not exist yet. */
async function missingExtension(
  { awaited, multiclusterNamespace: name, target }: TargetArgs,
  kubernetes: Reader,
): Promise<Missing | undefined> {
  if (awaited === undefined) return undefined;
  if ((await kubernetes.find(resources.namespaces, { name })) !== undefined) return undefined;
  return missing(`cluster ${target} has no namespace ${name} yet: ${runItsStack}`, true);
}

const runItsStack = "run the stack that has it among its sources, then this one again";

async function readDomains(
  { awaited, linkerdNamespace, target }: TargetArgs,
  kubernetes: Reader,
): Promise<Read<Domains>> {
  const where = `ConfigMap ${target}/${linkerdNamespace}/${linkerdConfigName}`;
  const config = await linkerdConfigOf(kubernetes, linkerdNamespace);
  if (config === undefined)
    return missing(
      `there is no ${where}, so Linkerd is not installed there${awaited === undefined ? ": install it, or set manage: all" : ` yet: ${runItsStack}`}`,
      awaited !== undefined,
    );
  const { domains } = config;
  if (domains === undefined) return missing(noClusterDomain(target, linkerdNamespace), false);
  return { value: domains };
}

async function readGateway(
  { awaited, gateway, target }: TargetArgs,
  kubernetes: Reader,
  lookup: AddressLookup,
): Promise<Read<{ facts: LinkGateway; notes: string[]; unresolved?: string } | undefined>> {
  if (gateway === false) return { value: undefined };
  const { namespace, name } = gateway;
  const service = await kubernetes.find(resources.services, { namespace, name });
  const where = `${target}/${namespace}/${name}`;
  const answer = await gatewayFactsOf(gateway, service, where, lookup);
  if ("why" in answer) {
    const isAwaited = awaited !== undefined && service === undefined;
    return missing(answer.why, answer.cause === "unreachable" || isAwaited);
  }
  const { facts, refused, dialled, failed } = answer.value;
  const notes = refused.map((why) => leftOut(target, why));
  const unresolved = dialled.length === 0 ? { unresolved: failed.join("; ") } : {};
  const probe = gatewayProbe(service, where);
  if (probe === undefined) return { value: { facts, notes, ...unresolved } };
  if ("mistake" in probe) return missing(probe.mistake, false);
  return { value: { facts: { ...facts, probe: probe.probe }, notes, ...unresolved } };
}

async function readDiscovery(
  { discoverySelectors }: TargetArgs,
  kubernetes: Reader,
): Promise<boolean | undefined> {
  if (discoverySelectors === undefined) return undefined;
  const lists = discoverySelectors.map((selector) =>
    kubernetes.list(resources.services, { labelSelector: selectorText(selector) }),
  );
  return (await Promise.all(lists)).some((services) => services.length > 0);
}

/** Tokens that are being deleted don't count. */
async function readTokens(
  { multiclusterNamespace, source }: TargetArgs,
  kubernetes: Reader,
): Promise<LiveToken[]> {
  const found = await tokensOf(accountName(source), multiclusterNamespace, kubernetes);
  return found.flatMap(({ metadata: { name, creationTimestamp = "", deletionTimestamp } }) =>
    deletionTimestamp === undefined ? [{ name, createdAt: new Date(creationTimestamp) }] : [],
  );
}

function domainNotes({ target, targetDomain }: TargetArgs, { clusterDomain }: Domains): string[] {
  if (clusterDomain === targetDomain) return [];
  return [
    `Linkerd in cluster ${target} has cluster domain ${clusterDomain}, but clusters.${target}.clusterDomain is ${targetDomain}: mirrors would carry names that its gateway does not know, so correct the config`,
  ];
}
