import type { ClusterReading, LinkReading } from "../mesh/reading.ts";
import type { Decision } from "../mirroring/decide/decision.ts";
import type { LinkSpec } from "../mirroring/model/link.ts";
import type { Result } from "../result.ts";
import type { HealthMesh } from "./mesh.ts";

/** One cluster as its checks see it. */
export interface CheckedCluster {
  readonly mesh: HealthMesh;
  readonly cluster: string;
  readonly now: Date;
  readonly reading: ClusterReading;
  /**
   * Decisions about federated Services; undefined if a cluster that they need can't be read; absent if no link of
   * this stack contributes to any.
   */
  readonly federated?: Result<readonly Decision[] | undefined>;
  /** This cluster and those whose pods it reaches without a gateway; absent if there are none. */
  readonly flat?: readonly PodRanges[];
}

/** Reads the ranges from which the nodes of a cluster give addresses to pods. */
export interface PodRanges {
  readonly cluster: string;
  readonly ranges: Result<readonly string[]>;
}

export interface CheckedLink {
  readonly mesh: HealthMesh;
  readonly link: LinkSpec;
  readonly mirroring: "pulumi" | "controller";
  readonly now: Date;
  readonly source: ClusterReading;
  readonly target: ClusterReading;
  readonly reading: LinkReading;
  /**
   * The engine's decisions about the link's mirrors; undefined: a cluster that they take can't be
   * read; absent where Linkerd's controller mirrors.
   */
  readonly mirrors?: Result<readonly Decision[] | undefined>;
}
