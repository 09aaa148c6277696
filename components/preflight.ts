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
import { changedTrustDomains, noChangedDomains } from "./changed-trust-domains.ts";
import { missingControllers } from "./missing-controllers.ts";

/** What a run has to know of the clusters before it can decide what they get. */
export interface Preflight {
  /** UID of `kube-system` by cluster; undefined where it could not be read. */
  readonly uids: ReadonlyMap<string, string | undefined>;
  readonly trust: LiveTrusts;
  /** Clusters that can't be read. */
  readonly unreachable: ReadonlySet<string>;
  /** Sentences to tell before anything is done. */
  readonly warnings: readonly string[];
}

/**
 * Reads who each cluster is and what it trusts, all at once, in previews too. A cluster that can't
 * be reached is no reason to stop.
 *
 * @throws RunError with every mistake in the contexts and every cluster that is given twice; or with
 *   everything that the clusters lack, or have otherwise than this run may change it
 */
export async function preflight(
  config: Pick<MeshConfig, "clusters" | "links" | "linkerdNamespace" | "manage" | "trust">,
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
    refuse("The clusters do not match the stack's config:", mistakes);
    const trust = await observeTrust(opened.clusters, linkerdNamespace);
    const read = opened.clusters;
    if (config.manage === "all" && config.trust.kind === "external") {
      const needs = { linkerdNamespace, labels: controlPlaneLabels(linkerdNamespace) };
      const missing = await missingExternal(read, trust, needs, new Date());
      refuse("With trust.external, the clusters must provide Linkerd's trust:", missing);
    }
    if (config.manage === "links")
      refuse(
        "With manage: links, this stack installs no controllers of Linkerd's:",
        await missingControllers(read, config.links),
      );
    const domains =
      config.manage === "all" ? await changedTrustDomains(read, config) : noChangedDomains;
    refuse("A change of trust domain must be asked for:", domains.refused);
    const down = [...read].flatMap(([name, cluster]) => ("why" in cluster ? [{ name, ...cluster }] : []));
    const waits = down.map(
      ({ name, why }) =>
        `Whatever Linkerd needs in cluster ${name} stays as it is until a run reaches it: ${why}`,
    );
    return {
      ...{ uids: opened.uids, trust },
      unreachable: new Set(down.map(({ name }) => name)),
      warnings: [...domains.told, ...waits],
    };
  } finally {
    await opened.close();
  }
}

function refuse(heading: string, sentences: readonly string[]): void {
  if (sentences.length > 0) throw new pulumi.RunError([heading, ...sentences].join("\n  "));
}
