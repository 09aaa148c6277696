import type { GatewayFacts } from "../model/gateway.ts";
import type { ClusterAccess } from "../../kubernetes/kubeconfig.ts";
import type { LinkSettings } from "../model/link-settings.ts";
import type { ObjectKey } from "../../kubernetes/objects.ts";
import type { ChangeTexts } from "./preview.ts";
import type { Unknown } from "./unknown.ts";

/** What the program gives for the mirrors of one link. No credential, nor anything made of one. */
export interface MirrorsArgs {
  readonly link: LinkSettings;
  /** Every cluster of the stack by name, so that all are read at the same time. */
  readonly clusters: Readonly<Record<string, ClusterAccess>>;
  /** The other links into the same source, if there are any: their mirrors share its names. */
  readonly siblings?: readonly LinkSettings[];
  /** Namespace of the source's Link resource, whose status is to be kept; absent: none is. */
  readonly statusIn?: string;
  /**
   * The target's gateway as this run has found it for the Link resource, if that is its doing;
   * unknown in the preview of a run that is to make it.
   */
  readonly gatewaySeen?: GatewayFacts | Unknown;
}

/** What the program gives for the federated Services of one cluster. */
export interface FederatedArgs {
  readonly cluster: string;
  /** All links into the cluster, in the order of the config. */
  readonly links: readonly LinkSettings[];
  readonly clusters: Readonly<Record<string, ClusterAccess>>;
  readonly statusIn?: string;
}

/** Where a cluster could not be read, and since which run. */
export interface Outage {
  readonly cluster: string;
  /** ISO 8601. */
  readonly since: string;
  readonly why: string;
}

export type MirrorLines = Readonly<Record<ObjectKey, string>>;

export interface GatewayFact {
  /** IPs, separated by commas. */
  readonly addresses: string;
  readonly port: number;
  readonly identity: string;
}

/** Facts beside the mirrors that a preview shows when they change. */
export interface Facts {
  /** Where mirrors lead, as the target's gateway was found. */
  readonly gateway?: GatewayFact;
  /** By the Service that they unite: federated Services whose members differ in their ports. */
  readonly portConflicts?: Readonly<Record<string, string>>;
  /** Clusters whose links are gone and that some federated Service still lists. */
  readonly retired?: readonly string[];
}

/**
 * What `check` adds to the inputs: the plan is part of them, since inputs are all that a preview
 * can show of a dynamic resource.
 */
export interface Planned extends Facts {
  /** By cluster name: the UIDs of the clusters that were connected. */
  readonly identities?: Readonly<Record<string, string>>;
  /** One line for each mirror that there is once this run is through. */
  readonly mirrors: MirrorLines | Unknown;
  /** What comes of mirrors that stay: the fields that are not as they should be. */
  readonly changes?: ChangeTexts;
  /** Exported Services without a mirror: reason and sentence. */
  readonly notMirrored?: Readonly<Record<string, string>>;
  readonly unreachable?: Outage;
  /** Goes up with each run that has something to do or to say; `diff` looks at nothing else. */
  readonly revision: number;
}

export type Inputs<Args> = Args & Planned;

/** What any kind of resource has: which clusters there are, and maybe which links. */
export interface Reach {
  readonly clusters: Readonly<Record<string, ClusterAccess>>;
  readonly links?: readonly LinkSettings[];
}

/** Of the run before, as far as there was one. */
export type Before = Partial<Planned> & Partial<Reach>;

/** State of a resource: the inputs without their long maps, which state need not hold twice. */
export type Outputs<Args> = Args & Omit<Planned, "mirrors" | "changes">;

export function outputsOf<Args>({ mirrors, changes, ...outputs }: Inputs<Args>) {
  return outputs;
}

/** The mirrors of the run before, as far as there was one. */
export function mirrorsBefore({ mirrors }: Partial<Planned>): MirrorLines {
  return mirrors === undefined || typeof mirrors === "string" ? {} : mirrors;
}
