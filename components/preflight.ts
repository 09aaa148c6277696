import * as pulumi from "@pulumi/pulumi";
import type { MeshConfig } from "../config/mesh.ts";
import {
  type Connect,
  connect,
  openClusters,
  refuseRelativePaths,
} from "@linkerd-multicluster/engine/kubernetes";
import { type LiveTrusts, missingExternal, observeTrust } from "@linkerd-multicluster/engine/trust";
import { controlPlaneLabels } from "./charts/values.ts";

/** What a run has to know of the clusters before it can decide what they get. */
export interface Preflight {
  /** UID of `kube-system` by cluster; undefined where it could not be read. */
  readonly uids: ReadonlyMap<string, string | undefined>;
  readonly trust: LiveTrusts;
}

/**
 * Reads who each cluster is and what it trusts, all at once, in previews too. A cluster that can't
 * be reached is no reason to stop.
 *
 * @throws RunError with every mistake in the contexts and every cluster that is given twice; or with
 *   everything that is missing on the clusters where others are to provide trust
 */
export async function preflight(
  config: Pick<MeshConfig, "clusters" | "linkerdNamespace" | "manage" | "trust">,
  open: Connect = connect,
): Promise<Preflight> {
  const { clusters, linkerdNamespace } = config;
  const accesses = new Map([...clusters].map(([name, { access }]) => [name, access]));
  const opened = await openClusters(accesses, async (access, name) => {
    await refuseRelativePaths(access, name);
    return open(access, name);
  });
  try {
    const mistakes = opened.mistakes.map((each) => `${each}.`);
    if (mistakes.length > 0)
      throw new pulumi.RunError(
        ["The clusters do not match the stack's config:", ...mistakes].join("\n  "),
      );
    const trust = await observeTrust(opened.clusters, linkerdNamespace);
    if (config.manage === "all" && config.trust.kind === "external") {
      const needs = { linkerdNamespace, labels: controlPlaneLabels(linkerdNamespace) };
      const missing = await missingExternal(opened.clusters, trust, needs, new Date());
      if (missing.length > 0)
        throw new pulumi.RunError(
          ["With trust.external, the clusters must provide Linkerd's trust:", ...missing].join(
            "\n  ",
          ),
        );
    }
    return { uids: opened.uids, trust };
  } finally {
    await opened.close();
  }
}
