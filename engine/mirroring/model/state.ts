import { defined } from "../../kubernetes/objects/defined.ts";
import type { ClusterAccess } from "../../kubernetes/kubeconfig/kubeconfig.ts";
import type { ObjectKey } from "../../kubernetes/objects/objects.ts";
import type { Gateway, GatewayFacts } from "./gateway.ts";
import type { LinkSettings } from "./link.ts";

/** How to reach a cluster, and which one it has to be. */
export interface ClusterEntry extends ClusterAccess {
  /** UID that the config says its namespace `kube-system` must have. */
  readonly uid?: string;
}

/**
 * What the program says of everything that it mirrors into one cluster. No credential, nor anything
 * made of one.
 */
export interface MirrorsArgs {
  /** The cluster in which the mirrors appear. */
  readonly source: string;
  /** `organization/project/stack`: by this name other stacks know whose mirrors these are. */
  readonly stack: string;
  /** By name: the source and the targets of its links. */
  readonly clusters: Readonly<Record<string, ClusterEntry>>;
  /** The links that this program mirrors, in the order of the config. */
  readonly links: readonly LinkSettings[];
  /** Targets of links that are Linkerd's controller's to mirror: their mirrors are not touched. */
  readonly controllerLinks?: readonly string[];
  /** Targets that are no longer trusted: whatever was mirrored from them goes, however much. */
  readonly revokedTargets?: readonly string[];
  /** Lets mirrors of links that have left the config go, however many (`linkDefaults`). */
  readonly allowDeletions?: boolean;
  /** By cluster: why this run does not go by what it says, whatever that is. Such a cluster counts as refused. */
  readonly distrusted?: Readonly<Record<string, string>>;
  /**
   * Namespace of the source's Link resources, whose status is kept where they exist; absent: none is.
   */
  readonly statusIn?: string;
  /** Whether the outputs have the lists of mirrors, for a program that goes on with them. */
  readonly listed?: boolean;
  /**
   * By target: the gateway as this run has found it for the Link resource, or what stands for
   * an unknown value in the preview of a run that is to make it. Absent where the run has not looked.
   */
  readonly observedGateways?: Readonly<Record<string, ObservedGateway>>;
}

/** Whether the same run makes the Link resources; with `manage: mirrors` they are somebody else's. */
export function makesLinks({ observedGateways }: Pick<MirrorsArgs, "observedGateways">): boolean {
  return observedGateways !== undefined;
}

/** Addresses not resolved, as the Link resource names them; a text stands for one that is to come. */
export type ObservedGateway = GatewayFacts | string;

/** What a part of the mirrors is called: by the name of its link's target, or `federated`. */
export type ByPart<T> = Readonly<Record<string, T>>;

/** For each mirror, its fields in words: `ports: "80/TCP → 81/TCP"`. One short line for each. */
export type ChangeTexts = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** One line for each mirror, by its key. */
export type MirrorLines = Readonly<Record<ObjectKey, string>>;

/** Where mirrors lead, as the target's gateway was found. */
interface GatewayFact extends Pick<GatewayFacts, "port" | "identity"> {
  /** IPs, separated by commas. */
  readonly addresses: string;
}

/** A link that has left the config, for as long as something of it is to be taken away. */
export type RemovedLink = Pick<LinkSettings, "source" | "target" | "maxDeletions">;

/**
 * What a run has to know of earlier ones beside their links, since neither the config nor any cluster
 * can say it (docs/decisions/0017). Each check makes it anew from the inputs of the run before, and
 * those are stored even by a run that changes nothing. Outputs are older, and nothing is decided by them
 * that a wrong deletion could come of.
 */
export interface Memory {
  /** By cluster name: the UIDs of the clusters that were connected. */
  readonly identities?: Readonly<Record<string, string>>;
  /** By target: shown in previews, and remembered of a target that can't be read. */
  readonly gateways?: Readonly<Record<string, GatewayFact>>;
  readonly removedLinks?: readonly RemovedLink[];
  /** Other names of this stack by which mirrors may still be marked. */
  readonly formerStacks?: readonly string[];
  /** Those of them by which nothing is marked once this run is through: the next one forgets them. */
  readonly renewedStacks?: readonly string[];
}

/**
 * What is planned, beside what the program says: part of the inputs, since inputs are all that a
 * preview can show of a dynamic resource.
 */
export interface Planned extends Memory {
  /** By the Service that they unite: federated Services whose members differ in their ports. */
  readonly portConflicts?: Readonly<Record<string, string>>;
  /** One line for each mirror that there is once this run is through; a text: not known yet. */
  readonly mirrors: ByPart<MirrorLines | string> | string;
  /** What comes of mirrors that stay: the fields that are not as they should be. */
  readonly changes?: ByPart<ChangeTexts>;
  /**
   * Endpoint mirrors that stay although their pods are away: since when, RFC 3339, by the target's account. The
   * update of the same run deletes none of them, and no later run reads it.
   */
  readonly missing?: Readonly<Record<ObjectKey, string>>;
  /** Exported Services without a mirror: reason and sentence. */
  readonly notMirrored?: ByPart<Readonly<Record<string, string>>>;
  /** Clusters that do not answer, sorted: what they have a part in stays as it is. */
  readonly unreachable?: readonly string[];
  /**
   * By cluster: a sentence about what somebody has to mend there, which ends the run with an error once all
   * else is done.
   */
  readonly refused?: Readonly<Record<string, string>>;
  /** Goes up with each run that has something to do or to say; `diff` looks at nothing else. */
  readonly revision: number;
}

export type Inputs = MirrorsArgs & Planned;

/** The inputs of the run before, as far as there was one. */
export type Before = Partial<Inputs>;

/** State of the resource: the inputs without their long maps, which state need not hold twice unless somebody asks for them. */
export type Outputs = MirrorsArgs &
  Omit<Planned, "mirrors" | "changes" | "notMirrored"> &
  Partial<Pick<Planned, "mirrors" | "notMirrored">>;

export function outputsOf({ mirrors, changes, notMirrored, ...outputs }: Inputs): Outputs {
  return outputs.listed === true ? { ...outputs, mirrors, ...defined({ notMirrored }) } : outputs;
}

/** What the program said in the run that has left these inputs. */
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
  formerStacks,
  renewedStacks,
  missing,
  ...args
}: Inputs): MirrorsArgs {
  return args;
}

/** A part's mirrors of the run before, as far as there was one. */
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

/** The same for a run that may have another name for the stack than the run before. */
export function stacksNow(before: Before, { stack }: Pick<MirrorsArgs, "stack">): string[] {
  return [...new Set([stack, before.stack ?? stack, ...(before.formerStacks ?? [])])];
}

/** What a run has left, without the names of the stack by which it has left no mark. */
export function withoutRenewed<T extends Pick<Memory, "formerStacks" | "renewedStacks">>({
  formerStacks = [],
  renewedStacks = [],
  ...rest
}: T): Omit<T, "formerStacks" | "renewedStacks"> & Pick<Memory, "formerStacks"> {
  return { ...rest, formerStacks: formerStacks.filter((name) => !renewedStacks.includes(name)) };
}

/** The names by which this stack's marks are known. */
export function stacksOf({ stack, formerStacks = [] }: Outputs): readonly string[] {
  return [stack, ...formerStacks];
}

/** The field, unless it would be empty: inputs have no empty maps. */
export function nonEmpty<K extends string, V extends object>(
  key: K,
  value: V,
): Partial<Record<K, V>> {
  const entry: Partial<Record<K, V>> = {};
  if (Object.keys(value).length > 0) entry[key] = value;
  return entry;
}

/** What a run keeps of a gateway for the next one. */
export function gatewayFact({ addresses, port, identity }: Gateway): GatewayFact {
  return { addresses: addresses.join(", "), port, identity };
}
