import * as pulumi from "@pulumi/pulumi";
import type { ClusterConfig, MeshConfig } from "../config/mesh.ts";
import { accessesOf, ownClusters, ownLinks, touchedClusters } from "../config/share.ts";
import {
  connect,
  messageOf,
  refuseRelativePaths,
  unlessBug,
} from "@linkerd-multicluster/engine/kubernetes";
import { linkerdConfigOf, noClusterDomain } from "@linkerd-multicluster/engine/credentials";
import { type Connect, openClusters, type OpenedClusters } from "@linkerd-multicluster/engine/mesh";
import { controllersIn, noControllerText } from "@linkerd-multicluster/engine/mirroring";
import {
  type LiveTrusts,
  missingExternal,
  observeTrust,
  publishedIn,
  type PublishedTrust,
} from "@linkerd-multicluster/engine/trust";
import { controlPlaneLabels } from "./charts/values.ts";

export type Refused = ReadonlyMap<string, string>;

/** The facts of the clusters by which a run decides what they get. */
export interface Preflight {
  /** UID of `kube-system` by cluster; undefined where it could not be read, or two clusters say the same. */
  readonly uids: ReadonlyMap<string, string | undefined>;
  readonly trust: LiveTrusts;
  /** The trust that another stack publishes for this one's clusters. */
  readonly published?: PublishedTrust;
  readonly unreachable: ReadonlySet<string>;
  /**
   * Reasons by cluster for writing nothing to it in this run, and what to do. The run goes on with the others, and
   * fails in the end.
   */
  readonly refused: Refused;
  /** Sentences to tell before anything is done. */
  readonly warnings: readonly string[];
}

/**
 * Reads the identity and the trust of every cluster that this stack touches, concurrently, in previews
 * too. Clusters that can't be reached, or that this run must not change, don't stop it.
 *
 * @throws RunError with every mistake in the contexts
 */
export async function preflight(config: MeshConfig, open: Connect = connect): Promise<Preflight> {
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
    const isInstalled = config.manage === "all";
    const published =
      isInstalled && config.trust.kind === "stack"
        ? await publishedTrust(config.trust.stack, [...own.keys()])
        : undefined;
    const read = opened.clusters;
    // With `manage: all`, other stacks install Linkerd on the other clusters.
    const installed = isInstalled ? new Map([...read].filter(([name]) => own.has(name))) : read;
    const trust = await observeTrust(new Map([...installed, ...others.clusters]), linkerdNamespace);
    const domains = await judgedDomains(
      config.manage === "trust" ? new Map() : read,
      new Set(isInstalled ? own.keys() : []),
      config,
    );
    const refused = new Map([
      ...[...opened.refused].map(([name, why]) => [name, `${why}.`] as const),
      ...domains.refused,
      ...(await withoutExternalTrust(config, installed, trust)),
      ...(await missingControllers(config, read)),
    ]);
    const down = [...read].flatMap(([name, cluster]) =>
      "why" in cluster ? [[name, cluster.why] as const] : [],
    );
    const waits = down.flatMap(([name, why]) =>
      refused.has(name)
        ? []
        : [
            `Whatever Linkerd needs in cluster ${name} stays as it is until a run reaches it: ${why}`,
          ],
    );
    return {
      uids: opened.uids,
      trust,
      ...(published !== undefined && { published }),
      unreachable: new Set(down.map(([name]) => name)),
      refused,
      warnings: [...domains.warnings, ...waits],
    };
  } finally {
    await Promise.all([opened.close(), others.close()]);
  }
}

/** Clusters that lack what others are to provide with `trust.external`, in a sentence for each. */
async function withoutExternalTrust(
  { manage, trust: { kind }, linkerdNamespace }: MeshConfig,
  installed: OpenedClusters["clusters"],
  trust: LiveTrusts,
): Promise<Refused> {
  if (manage !== "all" || kind !== "external") return new Map();
  const needs = { linkerdNamespace, labels: controlPlaneLabels(linkerdNamespace) };
  const missing = await missingExternal(installed, trust, needs, new Date());
  return new Map(
    [...missing].flatMap(([name, sentences]): [string, string][] =>
      sentences.length === 0 ? [] : [[name, sentences.join(" ")]],
    ),
  );
}

/**
 * Clusters of other stacks whose trust decides what this one may do: proxies anywhere in the mesh may
 * have to trust an issuer that the config provides. A cluster that the runner can't reach counts as
 * unreadable, and the run changes nothing that might break it.
 */
async function openOthers(
  config: MeshConfig,
  open: Connect,
): Promise<Pick<OpenedClusters, "clusters" | "close">> {
  const own = ownClusters(config);
  const isJudged = config.manage === "all" && config.trust.kind === "provided";
  const names = isJudged ? [...config.clusters].filter(([name]) => !own.has(name)) : [];
  const opened = names.map(async ([name, { access }]) => {
    const { clusters, mistakes, close } = await openClusters(new Map([[name, access]]), open);
    const why = `cluster ${name} can't be read: ${mistakes.join("; ")}`;
    return { name, cluster: clusters.get(name) ?? { why, cause: "invalid" as const }, close };
  });
  const all = await Promise.all(opened);
  return {
    clusters: new Map(all.map(({ name, cluster }) => [name, cluster])),
    close: async () => {
      await Promise.all(all.map(({ close }) => close()));
    },
  };
}

/**
 * Reads what a stack of the trust root exports, before anything is registered: until there is trust,
 * nothing can be installed. The engine keeps all outputs of that stack in the state of this one.
 *
 * @param stack `organization/project/stack`
 * @param clusters those that this stack installs Linkerd on
 * @throws RunError with what is missing, or can't be decrypted, and what to do
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

/**
 * Sources of links that are left to controllers of Linkerd's which are not there, in a sentence for each, where this
 * stack installs none. A source whose Deployments can't be listed is not judged.
 */
async function missingControllers(
  config: MeshConfig,
  opened: OpenedClusters["clusters"],
): Promise<Refused> {
  if (config.manage !== "links") return new Map();
  const left = ownLinks(config).filter(({ mirroring }) => mirroring === "controller");
  const bySource = Map.groupBy(left, ({ spec }) => spec.source);
  const reading = [...bySource].map(async ([source, links]): Promise<[string, string][]> => {
    const cluster = opened.get(source);
    if (cluster === undefined || "why" in cluster) return [];
    const found = await controllersIn(cluster.value).catch(unlessBug(undefined));
    const without = links
      .map(({ spec }) => spec.target)
      .filter((target) => found?.some((controller) => controller.target === target) === false);
    if (without.length === 0) return [];
    return [[source, without.map((target) => missing(source, target)).join(" ")]];
  });
  return new Map((await Promise.all(reading)).flat());
}

function missing(source: string, target: string): string {
  return `link ${source} → ${target} has mirroring: controller, and ${noControllerText(source, target)}: add {link: {ref: {name: ${target}}}} to controllers in the values of its Helm release of linkerd-multicluster, or set mirroring: pulumi.`;
}

/**
 * Judges the domains of running clusters. A proxy gets its own identity and the names of its peers when it starts:
 * after a change of trust domain, Linkerd issues it no more certificates, and its peers expect another name. So a
 * default never changes a running cluster. A cluster without Linkerd, or one that can't be read, is not judged and
 * stays as it is.
 *
 * @param installed the clusters on which this stack installs Linkerd
 * @returns sentences about clusters without a cluster domain, or with a trust domain that differs from an unset
 *   default; and warnings
 */
async function judgedDomains(
  opened: OpenedClusters["clusters"],
  installed: ReadonlySet<string>,
  { clusters, linkerdNamespace }: MeshConfig,
): Promise<{ readonly refused: ReadonlyMap<string, string>; readonly warnings: string[] }> {
  const refused = new Map<string, string>();
  const warnings: string[] = [];
  const judging = [...clusters].map(async ([name, config]) => {
    const cluster = opened.get(name);
    if (cluster === undefined || "why" in cluster) return;
    const { value: kubernetes } = cluster;
    const linkerd = await linkerdConfigOf(kubernetes, linkerdNamespace).catch(unlessBug(undefined));
    if (linkerd === undefined) return;
    if (linkerd.domains === undefined)
      refused.set(name, `${noClusterDomain(name, linkerdNamespace)}.`);
    const live = linkerd.domains?.trustDomain ?? config.trustDomain;
    if (!installed.has(name) || live === config.trustDomain) return;
    if (config.isTrustDomainSet) warnings.push(warning(config, live));
    else refused.set(name, refusal(config, live));
  });
  await Promise.all(judging);
  return { refused, warnings };
}

const until = "and connections with its pods fail until each meshed pod has been restarted";

function refusal({ name, trustDomain }: ClusterConfig, live: string): string {
  const key = `linkerd-multicluster:clusters.${name}.trustDomain`;
  return `Linkerd in cluster ${name} runs with trust domain ${live}, and the default is ${trustDomain}: to keep it, set ${key} to ${live}, or linkerd-multicluster:trustDomain where it is that of every cluster; to change it, set ${key} to ${trustDomain}, ${until}.`;
}

function warning({ name, trustDomain }: ClusterConfig, live: string): string {
  return `The trust domain of cluster ${name} changes from ${live} to ${trustDomain}, ${until}: see docs/guides/trust.md.`;
}
