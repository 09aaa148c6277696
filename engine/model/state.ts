import { omitUndefined } from "../base/omit-undefined.ts";
import type { ClusterAccess } from "../kubernetes/kubeconfig/kubeconfig.ts";
import type { ObjectKey } from "../kubernetes/objects/objects.ts";
import type { GatewayFacts } from "./gateway.ts";
import type { LinkSpec } from "./link.ts";
import type { KnownSets } from "./observation.ts";
import { type MeshTraffic, routings, type Traffic } from "./traffic.ts";

export interface ClusterEntry extends ClusterAccess {
  /** The config demands this UID of `kube-system`. */
  readonly uid?: string;
}

/** Contains no credential, nor anything derived from one. */
export interface MirrorsArgs extends Traffic {
  readonly source: string;
  /** This stack's marks name it as `organization/project/stack`. */
  readonly stack: string;
  readonly clusters: Readonly<Record<string, ClusterEntry>>;
  /** Includes only links that this program mirrors, in the order of the config. */
  readonly links: readonly LinkSpec[];
  /** Linkerd's controller mirrors the links to these targets, so their mirrors are not touched. */
  readonly controllerLinks?: readonly string[];
  /** These are no longer trusted: all their mirrors are deleted, whatever their number. */
  readonly revokedTargets?: readonly string[];
  /** Allows deleting any number of mirrors of links that were removed from the config (`linkDefaults`). */
  readonly allowDeletions?: boolean;
  /** Pods of the source have no variables for Services, which limit the number of its mirrors otherwise. */
  readonly serviceLinksDisabled?: boolean;
  /** Gives the reason why this run ignores a cluster's answers. Such a cluster counts as refused. */
  readonly distrusted?: Readonly<Record<string, string>>;
  /** The source's Link resources are in this namespace; absent if their status isn't updated. */
  readonly statusIn?: string;
  /** The outputs contain the lists of mirrors, for programs that use them. */
  readonly listed?: boolean;
  /** Holds the gateways that this run has found for Link resources, by target; absent if it doesn't read gateways. */
  readonly observedGateways?: Readonly<Record<string, ObservedGateway>>;
}

interface MirroredMesh extends Pick<MirrorsArgs, "stack" | "clusters">, MeshTraffic {
  readonly links: readonly {
    readonly link: LinkSpec;
    readonly mirroring: "pulumi" | "controller";
  }[];
}

/** Links that Linkerd's controller mirrors count too, because the config says that their mirrors stay. */
export function mirrorsOfSource(
  source: string,
  { stack, clusters, links, failover = {}, traffic = {}, drained = [] }: MirroredMesh,
): MirrorsArgs | undefined {
  const here = links.filter(({ link }) => link.source === source);
  if (here.length === 0) return undefined;
  const linksBy = (mirroring: "pulumi" | "controller") =>
    here.filter((each) => each.mirroring === mirroring).map(({ link }) => link);
  const own = linksBy("pulumi");
  const left = linksBy("controller").map(({ target }) => target);
  const names = new Set([source, ...own.map(({ target }) => target)]);
  return {
    source,
    stack,
    clusters: Object.fromEntries(Object.entries(clusters).filter(([name]) => names.has(name))),
    links: own,
    ...omitUndefined({ failover: failover[source], traffic: traffic[source] }),
    ...nonEmpty(
      "drained",
      drained.filter((name) => names.has(name)),
    ),
    ...nonEmpty("controllerLinks", left),
  };
}

/** Returns whether the same run creates the Link resources; with `manage: mirrors` others do. */
export function makesLinks({ observedGateways }: Pick<MirrorsArgs, "observedGateways">): boolean {
  return observedGateways !== undefined;
}

/** Addresses are not resolved, as in the Link; a text stands for a gateway that only the update will create. */
export type ObservedGateway = GatewayFacts | string;

/** A part is named by the target of its link, or `federated`. */
export type ByPart<T> = Readonly<Record<string, T>>;

/** Each field of a mirror has one short line: `ports: "80/TCP → 81/TCP"`. */
export type ChangeTexts = Readonly<Record<string, Readonly<Record<string, string>>>>;

export type MirrorLines = Readonly<Record<ObjectKey, string>>;

/** A removed link stays in state for as long as some of its mirrors have to be deleted. */
export type RemovedLink = Pick<LinkSpec, "source" | "target"> &
  Partial<Pick<LinkSpec, "maxDeletions">>;

/**
 * Copied keys of mirrors that others write too, such as `shop/web-west label team`: when they did so before a run (RFC
 * 3339), or the field manager to which the key is left.
 */
export type Rivals = Readonly<Record<string, readonly string[] | string>>;

/**
 * Holds what neither the config nor a cluster can provide (docs/decisions/0017). Each check derives it from the inputs
 * of the previous run, because even a run that changes nothing stores its inputs. Outputs may be older, so no deletion
 * depends on them.
 */
export interface Memory {
  readonly identities?: Readonly<Record<string, string>>;
  /** Previews show them, and a target that can't be read keeps its own. */
  readonly gateways?: Readonly<
    Record<string, Omit<GatewayFacts, "addresses"> & { readonly addresses: string }>
  >;
  readonly removedLinks?: readonly RemovedLink[];
  /** UIDs of the targets' StatefulSets tell a scaled one from one that was made again. */
  readonly statefulSets?: ByPart<KnownSets>;
  /** The source may have HTTPRoutes of this stack for these Services, even if a run can't list or delete them. */
  readonly failedOver?: readonly ObjectKey[];
  readonly rivals?: Rivals;
  /** Mirrors may still be marked under these former names of this stack. */
  readonly formerStacks?: readonly string[];
  /** These former names mark nothing after this run, so the next one forgets them. */
  readonly renewedStacks?: readonly string[];
}

/** The plan is part of the inputs, since a preview of a dynamic resource shows nothing else. */
export interface Planned extends Memory {
  /** Says by federated Service how the ports of its members differ. */
  readonly portConflicts?: Readonly<Record<string, string>>;
  /** Holds one line for each mirror after this run; a text if they aren't known yet. */
  readonly mirrors: ByPart<MirrorLines | string> | string;
  readonly changes?: ByPart<ChangeTexts>;
  /** Names endpoint mirrors that stay although their pods are gone, with the time since when (RFC 3339). */
  readonly missing?: Readonly<Record<ObjectKey, string>>;
  /** Gives reason and sentence for exported Services without a mirror. */
  readonly notMirrored?: ByPart<Readonly<Record<string, string>>>;
  /** Mirrors of these clusters, which are sorted, stay as they are. */
  readonly unreachable?: readonly string[];
  /** Says by cluster what somebody has to fix. The sentences fail the run once everything else is done. */
  readonly refused?: Readonly<Record<string, string>>;
  /** The run has something to do or to report. Nothing else is asked by `diff`. */
  readonly due?: true;
  /** Increases with each such run, because the engine updates nothing whose inputs are those of the run before. */
  readonly revision: number;
}

export type Inputs = MirrorsArgs & Planned;

/** Links that an earlier version stored may have no more than this. */
export type Before = Partial<Omit<Inputs, "links">> & { readonly links?: readonly RemovedLink[] };

/** State need not hold settings of links and long maps twice; the maps are there for a program that asks for them. */
export type Outputs = Omit<MirrorsArgs, "links"> & {
  readonly links: readonly RemovedLink[];
} & Omit<Planned, "mirrors" | "changes" | "notMirrored" | "due"> &
  Partial<Pick<Planned, "mirrors" | "notMirrored">>;

export function outputsOf({ mirrors, changes, notMirrored, due, ...inputs }: Inputs): Outputs {
  const links = inputs.links.map(({ source, target }) => ({ source, target }));
  const outputs = { ...inputs, links };
  return inputs.listed === true
    ? { ...outputs, mirrors, ...omitUndefined({ notMirrored }) }
    : outputs;
}

export function argsOf({
  mirrors,
  changes,
  notMirrored,
  unreachable,
  refused,
  due,
  revision,
  identities,
  gateways,
  portConflicts,
  removedLinks,
  statefulSets,
  failedOver,
  formerStacks,
  renewedStacks,
  rivals,
  missing,
  ...args
}: Inputs): MirrorsArgs {
  return args;
}

/** Without links, a run deletes whatever this stack has mirrored into the source. */
export function withoutLinks<T extends Traffic>({
  failover: _,
  traffic: __,
  drained: ___,
  ...args
}: T) {
  return { ...args, links: [], allowDeletions: true };
}

export function mirrorsBefore({ mirrors }: Before, part: string): MirrorLines {
  const lines = typeof mirrors === "object" ? mirrors[part] : undefined;
  return typeof lines === "object" ? lines : {};
}

/** Returns the Services that are routed, or were and may have routes still. */
export function routedServices(
  args: Traffic,
  before: Traffic & Pick<Before, "failedOver">,
): ObjectKey[] {
  const keys = [before, args].flatMap((each) => [...routings(each).keys()]);
  return [...new Set([...(before.failedOver ?? []), ...keys])].sort();
}

export function entryOf(
  { clusters }: Pick<MirrorsArgs, "clusters">,
  cluster: string,
): ClusterEntry {
  const entry = clusters[cluster];
  if (entry === undefined) throw new Error(`the stack has no cluster ${cluster}`);
  return entry;
}

/** Includes the name that the stack had in the previous run. */
export function stacksNow(before: Before, { stack }: Pick<MirrorsArgs, "stack">): string[] {
  return [...new Set([stack, before.stack ?? stack, ...(before.formerStacks ?? [])])];
}

/** Forgets former names of the stack that mark nothing any longer. */
export function withoutRenewed<T extends Pick<Memory, "formerStacks" | "renewedStacks">>({
  formerStacks = [],
  renewedStacks = [],
  ...rest
}: T): Omit<T, "formerStacks" | "renewedStacks"> & Pick<Memory, "formerStacks"> {
  return { ...rest, formerStacks: formerStacks.filter((name) => !renewedStacks.includes(name)) };
}

export function stacksOf({
  stack,
  formerStacks = [],
}: Pick<Inputs, "stack" | "formerStacks">): readonly string[] {
  return [stack, ...formerStacks];
}

/** Leaves out an empty field, because inputs have no empty maps. */
export function nonEmpty<K extends string, V extends object>(
  key: K,
  value: V,
): Partial<Record<K, V>> {
  const entry: Partial<Record<K, V>> = {};
  if (Object.keys(value).length > 0) entry[key] = value;
  return entry;
}
