import { omitUndefined } from "../../kubernetes/objects/omit-undefined.ts";
import type { ClusterAccess } from "../../kubernetes/kubeconfig/kubeconfig.ts";
import type { ObjectKey } from "../../kubernetes/objects/objects.ts";
import type { Gateway, GatewayFacts } from "./gateway.ts";
import { linkDefaults, type LinkSpec } from "./link.ts";

/** The access to a cluster, and the identity that it must have. */
export interface ClusterEntry extends ClusterAccess {
  /** The UID of `kube-system` that the config demands. */
  readonly uid?: string;
}

/**
 * The inputs of the resource that holds everything which is mirrored into one cluster. They contain no credential,
 * nor anything derived from one.
 */
export interface MirrorsArgs {
  /** The cluster in which the mirrors appear. */
  readonly source: string;
  /** `organization/project/stack`, the name in this stack's marks. */
  readonly stack: string;
  /** The source and the targets of its links, by name. */
  readonly clusters: Readonly<Record<string, ClusterEntry>>;
  /** The links that this program mirrors, in the order of the config. */
  readonly links: readonly LinkSpec[];
  readonly failover?: Failover;
  /** Targets whose links Linkerd's controller mirrors: their mirrors are not touched. */
  readonly controllerLinks?: readonly string[];
  /** Targets that are no longer trusted: all their mirrors are deleted, whatever their number. */
  readonly revokedTargets?: readonly string[];
  /** Allows deleting any number of mirrors of links that were removed from the config (`linkDefaults`). */
  readonly allowDeletions?: boolean;
  /** The reason why this run ignores a cluster's answers, by cluster. Such a cluster counts as refused. */
  readonly distrusted?: Readonly<Record<string, string>>;
  /** The namespace of the source's Link resources, whose status is updated; absent if none is. */
  readonly statusIn?: string;
  /** The outputs contain the lists of mirrors, for programs that use them. */
  readonly listed?: boolean;
  /**
   * By target, the gateway that this run has found for the Link resource, or a text if only the update will create it.
   * Absent if the run doesn't read gateways.
   */
  readonly observedGateways?: Readonly<Record<string, ObservedGateway>>;
}

/**
 * Lists for each Service the clusters that serve its requests, the preferred one first; `local` is the source itself.
 */
export type Failover = Readonly<Record<ObjectKey, readonly string[]>>;

/** A mesh as far as mirrors depend on it. */
interface MirroredMesh extends Pick<MirrorsArgs, "stack" | "clusters"> {
  readonly links: readonly {
    readonly link: LinkSpec;
    readonly mirroring: "pulumi" | "controller";
  }[];
}

/**
 * Returns the arguments of one source's mirrors; undefined if no link leads into it. A source whose links are all
 * handed over to Linkerd's controller has arguments too, because the config says that their mirrors stay.
 */
export function mirrorsOfSource(
  source: string,
  { stack, clusters, links }: MirroredMesh,
): MirrorsArgs | undefined {
  const here = links.filter(({ link }) => link.source === source);
  if (here.length === 0) return undefined;
  const linksBy = (mirroring: "pulumi" | "controller") =>
    here.filter((each) => each.mirroring === mirroring).map(({ link }) => link);
  const own = linksBy("pulumi");
  const names = new Set([source, ...own.map(({ target }) => target)]);
  return {
    source,
    stack,
    clusters: Object.fromEntries(Object.entries(clusters).filter(([name]) => names.has(name))),
    links: own,
    ...nonEmpty(
      "controllerLinks",
      linksBy("controller").map(({ target }) => target),
    ),
  };
}

/** Returns whether the same run creates the Link resources; with `manage: mirrors` others do. */
export function makesLinks({ observedGateways }: Pick<MirrorsArgs, "observedGateways">): boolean {
  return observedGateways !== undefined;
}

/** Addresses as the Link names them, not resolved; a text stands for one that isn't known yet. */
export type ObservedGateway = GatewayFacts | string;

/** The name of a part: its link's target, or `federated`. */
export type ByPart<T> = Readonly<Record<string, T>>;

/** For each mirror, one short line per field: `ports: "80/TCP → 81/TCP"`. */
export type ChangeTexts = Readonly<Record<string, Readonly<Record<string, string>>>>;

export type MirrorLines = Readonly<Record<ObjectKey, string>>;

interface GatewayFact extends Pick<GatewayFacts, "port" | "identity"> {
  readonly addresses: string;
}

/** A link that was removed from the config, for as long as some of its mirrors have to be deleted. */
export type RemovedLink = Pick<LinkSpec, "source" | "target"> &
  Partial<Pick<LinkSpec, "maxDeletions">>;

/**
 * Memory of earlier runs that neither the config nor a cluster can provide (docs/decisions/0017). Each check derives
 * it from the inputs of the previous run, which are stored even by a run that changes nothing. Outputs are older, so
 * nothing that could lead to a wrong deletion depends on them.
 */
export interface Memory {
  /** The UIDs of the connected clusters, by name. */
  readonly identities?: Readonly<Record<string, string>>;
  /** Previews show them, and a target that can't be read keeps its own. */
  readonly gateways?: Readonly<Record<string, GatewayFact>>;
  readonly removedLinks?: readonly RemovedLink[];
  /** The source may have HTTPRoutes of this stack, so the next run reads them. */
  readonly hasRoutes?: boolean;
  /** Former names of this stack under which mirrors may still be marked. */
  readonly formerStacks?: readonly string[];
  /** Former names that mark nothing after this run, so that the next one forgets them. */
  readonly renewedStacks?: readonly string[];
}

/** The plan. It is part of the inputs, since a preview of a dynamic resource shows nothing else. */
export interface Planned extends Memory {
  /** Federated Services whose members have different ports, by Service. */
  readonly portConflicts?: Readonly<Record<string, string>>;
  /** One line for each mirror after this run; a text if they aren't known yet. */
  readonly mirrors: ByPart<MirrorLines | string> | string;
  /** Changes to existing mirrors, by field. */
  readonly changes?: ByPart<ChangeTexts>;
  /** Endpoint mirrors that stay although their pods are gone, with the time since when (RFC 3339). */
  readonly missing?: Readonly<Record<ObjectKey, string>>;
  /** Exported Services without a mirror, with reason and sentence. */
  readonly notMirrored?: ByPart<Readonly<Record<string, string>>>;
  /** Unreachable clusters, sorted: their mirrors stay as they are. */
  readonly unreachable?: readonly string[];
  /** Sentences about what somebody has to fix, by cluster. They fail the run once everything else is done. */
  readonly refused?: Readonly<Record<string, string>>;
  /** Increases with each run that has something to do or to report; `diff` compares nothing else. */
  readonly revision: number;
}

export type Inputs = MirrorsArgs & Planned;

/** Fills in a link of state that a version before 0.2 left, which held only what differed from the defaults. */
export function wholeLink(link: LinkSpec): LinkSpec {
  return { ...linkDefaults, ...link };
}

export function withWholeLinks<State extends Pick<Inputs, "links">>(state: State): State {
  return { ...state, links: state.links.map(wholeLink) };
}

/**
 * The inputs of the previous run, if there was one. Links that an earlier version stored may have no more than this.
 */
export type Before = Partial<Omit<Inputs, "links">> & { readonly links?: readonly RemovedLink[] };

/**
 * The outputs of the resource: the inputs without the settings of links and without their long maps. State need not
 * hold either twice; the maps are there for a program that asks for them.
 */
export type Outputs = Omit<MirrorsArgs, "links"> & {
  readonly links: readonly RemovedLink[];
} & Omit<Planned, "mirrors" | "changes" | "notMirrored"> &
  Partial<Pick<Planned, "mirrors" | "notMirrored">>;

export function outputsOf({ mirrors, changes, notMirrored, ...inputs }: Inputs): Outputs {
  const links = inputs.links.map(({ source, target }) => ({ source, target }));
  const outputs = { ...inputs, links };
  return inputs.listed === true
    ? { ...outputs, mirrors, ...omitUndefined({ notMirrored }) }
    : outputs;
}

/** Returns the program's arguments of the run that has left these inputs. */
export function argsOf({
  mirrors,
  changes,
  notMirrored,
  unreachable,
  refused,
  revision,
  identities,
  gateways,
  portConflicts,
  removedLinks,
  hasRoutes,
  formerStacks,
  renewedStacks,
  missing,
  ...args
}: Inputs): MirrorsArgs {
  return args;
}

export function mirrorsBefore({ mirrors }: Before, part: string): MirrorLines {
  const lines = typeof mirrors === "object" ? mirrors[part] : undefined;
  return typeof lines === "object" ? lines : {};
}

export function entryOf(
  { clusters }: Pick<MirrorsArgs, "clusters">,
  cluster: string,
): ClusterEntry {
  const entry = clusters[cluster];
  if (entry === undefined) throw new Error(`the stack has no cluster ${cluster}`);
  return entry;
}

/** Returns the names for a run that may have another name for the stack than the previous run. */
export function stacksNow(before: Before, { stack }: Pick<MirrorsArgs, "stack">): string[] {
  return [...new Set([stack, before.stack ?? stack, ...(before.formerStacks ?? [])])];
}

/** Returns the previous inputs without former names of the stack that mark nothing any longer. */
export function withoutRenewed<T extends Pick<Memory, "formerStacks" | "renewedStacks">>({
  formerStacks = [],
  renewedStacks = [],
  ...rest
}: T): Omit<T, "formerStacks" | "renewedStacks"> & Pick<Memory, "formerStacks"> {
  return { ...rest, formerStacks: formerStacks.filter((name) => !renewedStacks.includes(name)) };
}

/** Returns the names under which this stack has marked objects. */
export function stacksOf({
  stack,
  formerStacks = [],
}: Pick<Inputs, "stack" | "formerStacks">): readonly string[] {
  return [stack, ...formerStacks];
}

/** Returns the field unless it would be empty, because inputs have no empty maps. */
export function nonEmpty<K extends string, V extends object>(
  key: K,
  value: V,
): Partial<Record<K, V>> {
  const entry: Partial<Record<K, V>> = {};
  if (Object.keys(value).length > 0) entry[key] = value;
  return entry;
}

export function gatewayFact({ addresses, port, identity }: Gateway): GatewayFact {
  return { addresses: addresses.join(", "), port, identity };
}
