import type { LinkSpec } from "../model/link.ts";
import type { ClusterEntry } from "../model/state.ts";

/** Contains no credential. All but the target's entry comes from the config of the whole mesh. */
export interface GateArgs {
  /** The cluster with the closed gateway. */
  readonly target: string;
  readonly clusters: Readonly<Record<string, ClusterEntry>>;
  /** This stack's marks name it as `organization/project/stack`. */
  readonly stack: string;
  /** The gateway is in this namespace. */
  readonly namespace: string;
  /** Access is given before mirrors appear, and taken once they are gone, so there are two resources for a gateway. */
  readonly phase: Phase;
  /** All links to the target, of other stacks too. A flat one has no selector for the gateway. */
  readonly links: readonly LinkSpec[];
  /** The identities of each other cluster's clients, as in a MeshTLSAuthentication. */
  readonly clients: Readonly<Record<string, readonly string[]>>;
  /** Clusters whose clients have the same identities. */
  readonly alike: Readonly<Record<string, readonly string[]>>;
  /** This stack writes the mirrors in these clusters. Whoever has none any longer keeps no access. */
  readonly sources: readonly string[];
  /** Why this run writes nothing to the target. */
  readonly refused?: string;
}

export type Phase = "give" | "take";

export interface GateInputs extends GateArgs {
  /** The clusters that may use each exported Service after the run. */
  readonly admitted?: Readonly<Record<string, string>>;
  /** The changes of the run, such as `+ shop/web: east`. */
  readonly changes?: readonly string[];
  /** These fail the run once it has done everything else. */
  readonly problems?: readonly string[];
  /** Why nothing can be decided in this run. */
  readonly unread?: string;
  /** The UID of the target's namespace kube-system, as the last run knew it. */
  readonly identity?: string;
  /** Objects may still be marked under these names, which the stack had before. */
  readonly formerStacks?: readonly string[];
  readonly due?: true;
  /** Increases with each run that has something to do, because the engine updates nothing whose inputs stay the same. */
  readonly revision: number;
}

export type GateBefore = Partial<
  Pick<GateInputs, "identity" | "revision" | "stack" | "formerStacks" | "admitted" | "namespace">
>;
