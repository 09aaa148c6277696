import type { MeshConfig } from "../../../config/mesh.ts";
import { settingsOf } from "../../../engine/mirroring/model/link-settings.ts";

export type Values = Readonly<Record<string, unknown>>;

/** A dynamic provider as the engine sees it. */
export interface Provider {
  check(
    olds: Values,
    news: Values,
  ): Promise<{
    readonly inputs: Values;
    readonly failures: readonly { readonly reason: string }[];
  }>;
  diff(id: string, olds: Values, news: Values): Promise<{ readonly changes?: boolean }>;
  create(inputs: Values): Promise<{ readonly id?: string; readonly outs: Values }>;
  update(id: string, olds: Values, news: Values): Promise<{ readonly outs: Values }>;
  read(id: string, props: Values): Promise<{ readonly props?: Values; readonly inputs?: Values }>;
  delete(id: string, props: Values): Promise<void>;
}

type Module = typeof import("../../../engine/providers/mirrors.ts");

/** The provider of each resource by its name, as one process has them. */
export type Providers = (name: string) => Provider;

let operations = 0;

/** As a process has them that has read nothing yet. */
export async function providers(): Promise<Providers> {
  operations += 1;
  const module = `../../../engine/providers/mirrors.ts?operation=${operations}`;
  const { mirrors, federatedServices } = (await import(
    new URL(module, import.meta.url).href
  )) as Module;
  // Pulumi hands over what it has kept, whose types nobody can know.
  return (name) => (name.includes("/") ? mirrors : federatedServices) as unknown as Provider;
}

/** The dynamic resources that `manage: mirrors` makes of a config, by name. */
export function wantedResources({ clusters, links }: MeshConfig): ReadonlyMap<string, object> {
  const access = Object.fromEntries([...clusters].map(([name, cluster]) => [name, cluster.access]));
  const settings = links
    .filter(({ mirroring }) => mirroring === "pulumi")
    .map(({ spec }) => settingsOf(spec));
  const into = (source: string) => settings.filter((link) => link.source === source);
  const mirrors = settings.map((link) => {
    const siblings = into(link.source).filter((other) => other !== link);
    const args = { link, clusters: access, ...(siblings.length > 0 && { siblings }) };
    return [`${link.source}/${link.target}`, args] as const;
  });
  const federated = [...new Set(settings.map(({ source }) => source))].map(
    (cluster) => [cluster, { cluster, links: into(cluster), clusters: access }] as const,
  );
  return new Map<string, object>([...mirrors, ...federated]);
}
