import { noClusterDomain } from "@linkerd-multicluster/engine/credentials";
import { atCluster, type Failure, valueIn } from "@linkerd-multicluster/engine/base";
import { sameClusters } from "@linkerd-multicluster/engine/kubernetes";
import type {
  InstallationNeed,
  InstallationReading,
  InstallationsNeed,
  MeshReading,
} from "@linkerd-multicluster/engine/reading";
import { noControllerText } from "@linkerd-multicluster/engine/mirroring";
import { type LiveTrusts, missingExternal } from "@linkerd-multicluster/engine/trust";
import type { ClusterConfig, LinkConfig, MeshConfig } from "../config/mesh.ts";
import { ownClusters, ownLinks, touchedClusters } from "../config/share.ts";
import { controlPlaneLabels } from "./charts/values.ts";

type Installations = MeshReading["installations"];

export type Refused = ReadonlyMap<string, string>;

export interface JudgedInstallations {
  /** The UID is undefined if it could not be read. */
  readonly uids: ReadonlyMap<string, string | undefined>;
  /** Sentences, by name, say that another name leads to the same cluster. State may know which of them is wrong. */
  readonly twins: ReadonlyMap<string, string>;
  readonly trust: LiveTrusts;
  readonly unreachable: ReadonlySet<string>;
  /** Nothing is written to these clusters. The run goes on with the others, and fails in the end. */
  readonly refused: Refused;
  /** Warnings that are printed before anything is done. */
  readonly warnings: readonly string[];
}

/** Includes clusters of other stacks whose trust limits this one. */
export function installationsNeed(config: MeshConfig): InstallationsNeed {
  const { manage, linkerdNamespace, trust } = config;
  const own = ownClusters(config);
  const touched = touchedClusters(config);
  const sources = new Set(controlledLinks(config).map(({ spec }) => spec.source));
  // Proxies anywhere in the mesh may have to trust an issuer that the config provides.
  const isTrustShared = manage === "all" && trust.kind === "provided";
  const names = isTrustShared ? config.clusters.keys() : touched.keys();
  const needOf = (name: string): InstallationNeed => ({
    // With `manage: all`, other stacks install Linkerd on the other clusters.
    trust: manage !== "all" || own.has(name) || isTrustShared,
    external: manage === "all" && trust.kind === "external" && own.has(name),
    config: manage !== "trust" && touched.has(name),
    controllers: sources.has(name),
  });
  return {
    linkerdNamespace,
    clusters: Object.fromEntries([...names].map((name) => [name, needOf(name)])),
  };
}

export function judgeInstallations(
  config: MeshConfig,
  installations: Installations,
  now: Date,
): JudgedInstallations {
  const touched = touchedClusters(config);
  const read = new Map([...installations].filter(([name]) => touched.has(name)));
  const failures = [...read].flatMap(([name, { identity }]): [string, Failure][] =>
    "why" in identity ? [[name, identity]] : [],
  );
  const domains = judgedDomains(config, read);
  const refused = new Map([
    ...failures.flatMap(([name, { why, isBug }]) => (isBug ? [[name, `${why}.`] as const] : [])),
    ...domains.refused,
    ...withoutExternalTrust(config, read, now),
    ...missingControllers(config, read),
  ]);
  const waits = failures
    .filter(([name]) => !refused.has(name))
    .map(
      ([name, { why }]) =>
        `Linkerd in cluster ${name} stays as it is until a run reaches the cluster: ${why}`,
    );
  const uids = new Map([...read].map(([name, { identity }]) => [name, valueIn(identity)]));
  return {
    uids,
    twins: sameClusters(uids),
    trust: new Map(
      [...installations].flatMap(([name, { trust }]) =>
        trust === undefined ? [] : [[name, trust]],
      ),
    ),
    unreachable: new Set(failures.map(([name]) => name)),
    refused,
    warnings: [...domains.warnings, ...waits],
  };
}

/** Refuses clusters that lack trust which others must provide (`trust.external`). */
function withoutExternalTrust(
  { linkerdNamespace }: MeshConfig,
  installations: Installations,
  now: Date,
): Refused {
  const needs = { linkerdNamespace, labels: controlPlaneLabels(linkerdNamespace) };
  return refusedBy(installations, (name, { external, trust }) =>
    external === undefined || trust === undefined
      ? []
      : missingExternal(name, external, trust, needs, now),
  );
}

/** With `manage: links`, this stack installs no controllers, so those that mirror links must be there. */
function controlledLinks(config: MeshConfig): LinkConfig[] {
  if (config.manage !== "links") return [];
  return ownLinks(config).filter(({ mirroring }) => mirroring === "controller");
}

/** A source whose Deployments can't be listed is not judged. */
function missingControllers(config: MeshConfig, installations: Installations): Refused {
  const links = controlledLinks(config);
  return refusedBy(installations, (name, { controllers }) => {
    const found = valueIn(controllers);
    return links
      .filter(({ spec }) => spec.source === name)
      .filter(({ spec }) => found?.some(({ target }) => target === spec.target) === false)
      .map(
        ({ spec: { target } }) =>
          `link ${name} → ${target} has mirroring: controller, and ${noControllerText(name, target)}: add {link: {ref: {name: ${target}}}} to controllers in the values of its Helm release of linkerd-multicluster, or set mirroring: pulumi.`,
      );
  });
}

/**
 * A default never changes the trust domain of a running cluster: a proxy gets its identity and the names of its peers
 * when it starts. After a change, Linkerd issues it no more certificates, and its peers expect another name. A cluster
 * without Linkerd, or one that can't be read, is not judged.
 */
function judgedDomains(
  config: MeshConfig,
  installations: Installations,
): { readonly refused: Refused; readonly warnings: readonly string[] } {
  const installed = config.manage === "all" ? ownClusters(config) : new Map<string, never>();
  const changed = [...installed.values()].flatMap((cluster): Change[] => {
    const domains = valueIn(installations.get(cluster.name)?.config)?.domains;
    const isChanged = domains !== undefined && domains.trustDomain !== cluster.trustDomain;
    return isChanged ? [{ cluster, live: domains.trustDomain }] : [];
  });
  const refused = refusedBy(installations, (name, reading) => {
    const linkerd = valueIn(reading.config);
    if (linkerd === undefined) return [];
    if (linkerd.domains === undefined)
      return [`${noClusterDomain(name, config.linkerdNamespace)}.`];
    return changed
      .filter(({ cluster }) => cluster.name === name && !cluster.isTrustDomainSet)
      .map(refusal);
  });
  return {
    refused,
    warnings: changed.filter(({ cluster }) => cluster.isTrustDomainSet).map(warning),
  };
}

/** The config changes the trust domain. */
interface Change {
  readonly cluster: ClusterConfig;
  readonly live: string;
}

const until = "and connections with its pods fail until each meshed pod has been restarted";

function refusal({ cluster: { name, trustDomain }, live }: Change): string {
  const key = `linkerd-multicluster:clusters.${name}.trustDomain`;
  return `Linkerd in cluster ${name} runs with trust domain ${live}, and the default is ${trustDomain}: to keep it, set ${key} to ${live}, or linkerd-multicluster:trustDomain where it is that of every cluster; to change it, set ${key} to ${trustDomain}, ${until}.`;
}

function warning({ cluster: { name, trustDomain }, live }: Change): string {
  return `The trust domain of cluster ${name} changes from ${live} to ${trustDomain}, ${until}: see docs/guides/trust.md.`;
}

function refusedBy(
  installations: Installations,
  sentencesOf: (name: string, reading: InstallationReading) => readonly string[],
): Refused {
  return new Map(
    [...installations].flatMap(([name, reading]): [string, string][] => {
      try {
        const sentences = sentencesOf(name, reading);
        return sentences.length === 0 ? [] : [[name, sentences.join(" ")]];
      } catch (error) {
        return [[name, `${atCluster(name, error).message}.`]];
      }
    }),
  );
}
