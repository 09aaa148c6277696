/** The config of the whole mesh, and what its clusters have. */
import { readFile, writeFile } from "node:fs/promises";

import { parse, stringify } from "yaml";

import type { BedCluster } from "../bed/bed.ts";
import type { Config } from "../bed/stack.ts";
import * as clusters from "../e2e/access-clusters.ts";
import { middleOf } from "../e2e/canaries.ts";
import { configOf } from "./real-mesh.ts";
import { chartsFolder } from "./real-plugins.ts";

export interface Named {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly annotations: Readonly<Record<string, string>>;
  };
}

export interface Change {
  readonly logLevel?: string;
  readonly generation?: number;
  /** The check fails if a cluster is down. */
  readonly linkerdCheck?: boolean;
  /** More keys of the cluster. Undefined removes it from the config. */
  readonly east?: Config | undefined;
}

/** Returns the config of a mesh in which east has a domain of its own, and north mirrors from west without a gateway. */
export function wholeMesh(
  { west, east: eastern, north }: Readonly<Record<"west" | "east" | "north", BedCluster>>,
  change: Change = {},
): Config {
  const { logLevel = "debug", generation = 2, linkerdCheck = false, east = {} } = change;
  const isGone = "east" in change && change.east === undefined;
  const values = { "linkerd-control-plane": { controllerLogLevel: logLevel } };
  const ofEast = { ...configOf(eastern, values), clusterDomain: "east.example", ...east };
  const all = [
    { source: "east", target: "west" },
    { source: "north", target: "east" },
    { source: "north", target: "west", gateway: false },
  ];
  return {
    manage: "all",
    clusters: {
      west: configOf(west, values),
      north: configOf(north, values),
      ...(!isGone && { east: ofEast }),
    },
    links: isGone ? all.slice(2) : all,
    linkDefaults: { credentialsGeneration: generation },
    linkerdCheck,
    charts: { source: chartsFolder },
  };
}

export async function issuerKeyOf(cluster: BedCluster): Promise<string> {
  const path = "/api/v1/namespaces/linkerd/secrets/linkerd-identity-issuer";
  const { data } = await clusters.get<{ readonly data: Record<string, string> }>(cluster, path);
  return middleOf(atob(data["tls.key"] ?? ""));
}

export async function isInstalled(cluster: BedCluster): Promise<boolean> {
  const path = "/apis/apps/v1/namespaces/linkerd/deployments/linkerd-destination";
  return (await cluster.request("GET", path)).code === 200;
}

/**
 * Waits until tokens are issued. Pulumi's provider waits only five seconds, and controllers whose API server was down
 * look for it at growing intervals.
 */
export async function issuesTokens(cluster: BedCluster): Promise<void> {
  await clusters.post(cluster, clusters.secretsOf, {
    metadata: { name: "probe", annotations: { "kubernetes.io/service-account.name": "default" } },
    type: "kubernetes.io/service-account-token",
  });
  await clusters.issuedToken(cluster, "probe");
}

export async function linkerdConfig(cluster: BedCluster): Promise<string> {
  const path = `${clusters.inNamespace("linkerd", "configmaps")}/linkerd-config`;
  const { data } = await clusters.get<{ readonly data: { readonly values: string } }>(
    cluster,
    path,
  );
  return data.values;
}

/** Returns the names of objects that exist for another cluster. */
export async function traces(cluster: BedCluster, other: string): Promise<string[]> {
  const lists = [
    ...["services", "endpoints", "secrets", "serviceaccounts"].map((plural) => `/api/v1/${plural}`),
    ...["clusterroles", "clusterrolebindings"].map(
      (plural) => `/apis/rbac.authorization.k8s.io/v1/${plural}`,
    ),
    "/apis/multicluster.linkerd.io/v1alpha3/links",
  ];
  const found = await Promise.all(
    lists.map(async (path) => {
      const { items } = await clusters.get<{ readonly items: readonly Named[] }>(cluster, path);
      return items.map(({ metadata }) => `${path} ${metadata.name}`);
    }),
  );
  return found.flat().filter((each) => new RegExp(`[ -]${other}(-|$)`).test(each));
}

/** Changes a kubeconfig as `k3d cluster delete` does. */
export async function withoutContext(file: string, name: string): Promise<void> {
  const content = parse(await readFile(file, "utf8")) as Record<string, unknown>;
  const others = (list: unknown) =>
    (list as readonly { readonly name: string }[]).filter((each) => each.name !== name);
  const { clusters: all, contexts, users } = content;
  const rest = { clusters: others(all), contexts: others(contexts), users: others(users) };
  await writeFile(file, stringify({ ...content, ...rest }));
}
