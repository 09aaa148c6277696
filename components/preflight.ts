import * as pulumi from "@pulumi/pulumi";
import type { MeshConfig } from "../config/mesh.ts";
import { ownClusters, touchedClusters } from "../config/share.ts";
import {
  type ClusterAccess,
  type Connect,
  connect,
  openClusters,
  type OpenedClusters,
  refuseRelativePaths,
} from "@linkerd-multicluster/engine/kubernetes";
import {
  type LiveTrusts,
  missingExternal,
  observeTrust,
  type PublishedTrust,
} from "@linkerd-multicluster/engine/trust";
import { controlPlaneLabels } from "./charts/values.ts";
import { publishedTrust } from "./trust/published.ts";

/** What a run has to know of the clusters before it can decide what they get. */
export interface Preflight {
  /** UID of `kube-system` by cluster; undefined where it could not be read. */
  readonly uids: ReadonlyMap<string, string | undefined>;
  readonly trust: LiveTrusts;
  /** What another stack publishes for this one's clusters. */
  readonly published?: PublishedTrust;
}

/** Of the config, what decides which clusters are read, and for what. */
type PreflightConfig = Pick<
  MeshConfig,
  "clusters" | "sources" | "links" | "revoked" | "linkerdNamespace" | "manage" | "trust"
>;

/**
 * Reads who each cluster is that this stack touches, and what it trusts, all at once, in previews too.
 * A cluster that can't be reached is no reason to stop.
 *
 * @throws RunError with every mistake in the contexts and every cluster that is given twice; or with
 *   everything that is missing on the clusters where others are to provide trust
 */
export async function preflight(
  config: PreflightConfig,
  open: Connect = connect,
): Promise<Preflight> {
  const { linkerdNamespace } = config;
  const carefully: Connect = async (access, name) => {
    await refuseRelativePaths(access, name);
    return open(access, name);
  };
  const [opened, others] = await Promise.all([
    openClusters(accessesOf(touchedClusters(config)), carefully),
    openOthers(config, carefully),
  ]);
  try {
    const mistakes = opened.mistakes.map((each) => `${each}.`);
    if (mistakes.length > 0)
      throw new pulumi.RunError(
        ["The clusters do not match the stack's config:", ...mistakes].join("\n  "),
      );
    const own = ownClusters(config);
    const isTheirs = (name: string) => config.manage === "all" && !own.has(name);
    const installed = new Map([...opened.clusters].filter(([name]) => !isTheirs(name)));
    const published =
      config.manage === "all" && config.trust.kind === "stack"
        ? await publishedTrust(config.trust.stack, [...own.keys()])
        : undefined;
    const trust = await observeTrust(new Map([...installed, ...others.clusters]), linkerdNamespace);
    if (config.manage === "all" && config.trust.kind === "external") {
      const needs = { linkerdNamespace, labels: controlPlaneLabels(linkerdNamespace) };
      const missing = await missingExternal(installed, trust, needs, new Date());
      if (missing.length > 0)
        throw new pulumi.RunError(
          ["With trust.external, the clusters must provide Linkerd's trust:", ...missing].join(
            "\n  ",
          ),
        );
    }
    return { uids: opened.uids, trust, ...(published !== undefined && { published }) };
  } finally {
    await Promise.all([opened.close(), others.close()]);
  }
}

/**
 * Clusters of other stacks whose trust decides what this one may do: proxies anywhere in the mesh may
 * have to trust an issuer that the config provides. The runner need not be able to reach them: then
 * they are unreadable, and nothing moves that might break them.
 */
async function openOthers(
  config: PreflightConfig,
  open: Connect,
): Promise<Pick<OpenedClusters, "clusters" | "close">> {
  const own = ownClusters(config);
  const isJudged = config.manage === "all" && config.trust.kind === "provided";
  const names = isJudged ? [...config.clusters].filter(([name]) => !own.has(name)) : [];
  const opened = await Promise.all(
    names.map(async ([name, { access }]) => {
      const { clusters, mistakes, close } = await openClusters(new Map([[name, access]]), open);
      const why = `cluster ${name} can't be read: ${mistakes.join("; ")}`;
      return { name, cluster: clusters.get(name) ?? { why }, close };
    }),
  );
  return {
    clusters: new Map(opened.map(({ name, cluster }) => [name, cluster])),
    close: async () => {
      await Promise.all(opened.map(({ close }) => close()));
    },
  };
}

function accessesOf(clusters: MeshConfig["clusters"]): ReadonlyMap<string, ClusterAccess> {
  return new Map([...clusters].map(([name, { access }]) => [name, access]));
}
