import * as pulumi from "@pulumi/pulumi";
import type { MeshConfig } from "../config/mesh.ts";
import { accessesOf, ownClusters, touchedClusters } from "../config/share.ts";
import { messageOf, omitUndefined } from "@linkerd-multicluster/engine/base";
import { refuseRelativePaths } from "@linkerd-multicluster/engine/kubernetes";
import { Clusters, kubeconfigMistakes, readMesh } from "@linkerd-multicluster/engine/reading";
import { publishedIn, type PublishedTrust } from "@linkerd-multicluster/engine/trust";
import {
  installationsNeed,
  type JudgedInstallations,
  judgeInstallations,
} from "./installations.ts";

export interface Preflight extends JudgedInstallations {
  /** Another stack publishes it for this one's clusters. */
  readonly published?: PublishedTrust;
}

/**
 * Clusters that can't be reached, or that this run must not change, don't stop it.
 *
 * @param clusters Their connections are closed in the end.
 * @throws RunError with every mistake in the contexts
 */
export async function preflight(
  config: MeshConfig,
  clusters: Clusters = new Clusters(),
): Promise<Preflight> {
  // Whoever forgets the key may want nothing but mirrors.
  if (!config.isManageSet && pulumi.runtime.isDryRun())
    await pulumi.log.info(
      "linkerd-multicluster:manage is not set, so this stack manages all: it installs Linkerd in its clusters, with a trust root of its own. Where Linkerd runs already, set it to mirrors or links.",
    );
  const installations = installationsNeed(config);
  const accesses = Object.fromEntries(
    [...accessesOf(config.clusters)].filter(([name]) => name in installations.clusters),
  );
  try {
    const mistakes = await kubeconfigMistakes(accesses, async (name, access) => {
      await refuseRelativePaths(access, name);
      await clusters.client(name, access);
    });
    const touched = touchedClusters(config);
    const stopping = [...mistakes].flatMap(([name, why]) => (touched.has(name) ? [`${why}.`] : []));
    if (stopping.length > 0)
      throw new pulumi.RunError(
        ["The clusters do not match the stack's config:", ...stopping].join("\n  "),
      );
    const published =
      config.manage === "all" && config.trust.kind === "stack"
        ? await publishedTrust(config.trust.stack, [...ownClusters(config).keys()])
        : undefined;
    // The run goes on without the clusters of other stacks, and changes nothing that might break them.
    const distrusted = Object.fromEntries(
      [...mistakes].map(([name, why]) => [name, `cluster ${name} can't be read: ${why}`]),
    );
    const reading = await readMesh({ clusters: accesses, distrusted }, clusters, { installations });
    return {
      ...judgeInstallations(config, reading.installations, new Date()),
      ...omitUndefined({ published }),
    };
  } finally {
    await Promise.all(Object.values(accesses).map((access) => clusters.close(access)));
  }
}

/**
 * Reads what a trust stack exports, before anything is registered: until there is trust, nothing can be installed. The
 * engine keeps all outputs of that stack in the state of this one.
 *
 * @param stack `organization/project/stack`
 * @throws RunError with what is missing, or can't be decrypted
 */
export async function publishedTrust(
  stack: string,
  clusters: readonly string[],
  now = new Date(),
): Promise<PublishedTrust> {
  const reference = new pulumi.StackReference(stack);
  const valueOf = async (name: string): Promise<unknown> => {
    const details: { readonly value?: unknown; readonly secretValue?: unknown } =
      await reference.getOutputDetails(name);
    return details.value ?? details.secretValue;
  };
  const [trust, issuerKeys] = await Promise.all([valueOf("trust"), valueOf("issuerKeys")]);
  try {
    return publishedIn({ trust, issuerKeys }, stack, clusters, now);
  } catch (error) {
    throw new pulumi.RunError(`linkerd-multicluster:trust.stack: ${messageOf(error)}.`);
  }
}
