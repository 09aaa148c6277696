import type { ClusterAccess, LinkSpec } from "../model/link.ts";
import type { ObjectKey } from "../model/objects.ts";
import type { ChangeTexts } from "./preview.ts";
import type { Unknown } from "./unknown.ts";

/** What the program gives the resource. No credential is among it, nor anything derived of one. */
export interface MirrorsArgs {
  readonly link: LinkSpec;
  /** Every cluster of the stack by name, so that all are read at the same time. */
  readonly clusters: Readonly<Record<string, ClusterAccess>>;
  /** The other links into the same source: their mirrors share its names. */
  readonly siblings: readonly LinkSpec[];
}

export type MirrorLines = Readonly<Record<ObjectKey, string>>;

/** Where a cluster could not be read, and since which run. */
export interface Outage {
  readonly cluster: string;
  /** ISO 8601. */
  readonly since: string;
  readonly why: string;
}

/**
 * The inputs as `check` returns them: the plan is part of them, since inputs are all that a
 * preview can show of a dynamic resource.
 */
export interface MirrorsInputs extends MirrorsArgs {
  /** UIDs of the clusters that the link has connected. */
  readonly identities?: { readonly source: string; readonly target: string };
  /** The gateway as mirrors use it, in words. */
  readonly gatewayAddress?: string;
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

/** State of a resource: the inputs without their long maps, which state need not hold twice. */
export type MirrorsOutputs = Omit<MirrorsInputs, "mirrors" | "changes">;

export function outputsOf(inputs: MirrorsInputs): MirrorsOutputs {
  const { mirrors, changes, ...outputs } = inputs;
  return outputs;
}

/** The mirrors of the run before, as far as there was one. */
export function mirrorsBefore({ mirrors }: Partial<MirrorsInputs>): MirrorLines {
  return mirrors === undefined || typeof mirrors === "string" ? {} : mirrors;
}
