import * as pulumi from "@pulumi/pulumi";
import { healthMesh } from "../config/health-mesh.ts";
import type { LinkConfig, MeshConfig } from "../config/mesh.ts";
import { makeSites } from "./clusters.ts";
import type { Site } from "./existing-cluster.ts";
import { Health } from "./health.ts";
import { Link, type LinkEnd } from "./link.ts";
import { LinkerdCliCheck } from "./linkerd-cli-check.ts";
import { Mirrors, mirrorsArgs } from "./mirrors.ts";
import type { Survey } from "./preflight.ts";

/** The whole mesh that a stack's config describes. */
export class Mesh extends pulumi.ComponentResource {
  readonly #config: MeshConfig;
  /** Whatever changes when a run has changed something, by what has changed. */
  readonly #revisions: Record<string, pulumi.Output<unknown>> = {};
  /** All that has to be through before the mesh can be verified. */
  readonly #made: pulumi.Resource[] = [];

  /**
   * @param survey what is live on the clusters now; absent for `manage: mirrors`, which needs no
   *   more than the mirrors themselves read
   */
  constructor(
    name: string,
    config: MeshConfig,
    survey: Survey | undefined,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super("linkerd-multicluster:index:Mesh", name, {}, opts);
    this.#config = config;
    const sites = survey === undefined ? undefined : makeSites(config, survey, this);
    for (const [cluster, { ready, revision }] of sites ?? []) {
      // The clusters too: nothing else waits for one that no link touches.
      this.#made.push(ready);
      if (revision !== undefined) this.#revisions[cluster] = revision;
    }
    for (const source of new Set(config.links.map(({ spec }) => spec.source))) {
      const here = config.links.filter(({ spec }) => spec.source === source);
      const links = sites === undefined ? [] : here.map((link) => this.#link(link, sites));
      this.#mirrors(source, links, sites?.get(source));
    }
    if (sites !== undefined) this.#verify();
    this.registerOutputs({});
  }

  #link(config: LinkConfig, sites: ReadonlyMap<string, Site>): Link {
    const { source, target } = config.spec;
    const { linkerdNamespace, multiclusterNamespace, clusters } = this.#config;
    const apiServer = clusters.get(target)?.apiServer;
    const link = new Link(
      `${source}/${target}`,
      {
        config,
        source: endOf(source, this.#config, sites),
        target: {
          ...endOf(target, this.#config, sites),
          ...(apiServer !== undefined && { apiServer }),
        },
        namespaces: { linkerd: linkerdNamespace, multicluster: multiclusterNamespace },
      },
      { parent: this },
    );
    this.#made.push(link);
    this.#revisions[`${link.name}/credentials`] = link.credentials.revision;
    return link;
  }

  /**
   * One resource for everything that is mirrored into a cluster. It waits for the Links, because the
   * destination controller never looks again for a cluster that it did not know when a mirror came
   * up (linkerd-behaviour.md 5), and for the charts, whose controllers may take links over.
   */
  #mirrors(source: string, links: readonly Link[], site: Site | undefined): void {
    const config = this.#config;
    const args = mirrorsArgs(config, source, `${pulumi.getProject()}/${pulumi.getStack()}`);
    if (args === undefined) return;
    const own = new Set(args.links.map(({ target }) => `${source}/${target}`));
    const observed = links
      .filter(({ name }) => own.has(name))
      .map(
        ({ name, observedGateway }) => [name.slice(source.length + 1), observedGateway] as const,
      );
    const mirrors = new Mirrors(
      source,
      {
        ...args,
        ...(site !== undefined && { statusIn: config.multiclusterNamespace }),
        ...(observed.length > 0 && { observedGateways: Object.fromEntries(observed) }),
      },
      {
        parent: this,
        dependsOn: [
          ...links.map(({ credentials }) => credentials),
          ...(site === undefined ? [] : [site.ready]),
        ],
      },
    );
    this.#made.push(mirrors);
    this.#revisions[`${source}/mirrors`] = mirrors.revision;
  }

  /** Once everything else is through, whether the mesh is in order. */
  #verify(): void {
    const mesh = healthMesh(this.#config);
    const health = new Health(
      "health",
      { mesh, triggers: this.#revisions },
      { parent: this, dependsOn: [...this.#made] },
    );
    if (this.#config.linkerdCheck)
      new LinkerdCliCheck(
        "linkerd-check",
        { mesh, triggers: pulumi.all(Object.values(this.#revisions)) },
        { parent: this, dependsOn: [...this.#made, health] },
      );
  }
}

function endOf(name: string, { clusters }: MeshConfig, sites: ReadonlyMap<string, Site>): LinkEnd {
  const config = clusters.get(name);
  const site = sites.get(name);
  if (config === undefined || site === undefined)
    throw new Error(`the config has no cluster ${name}`);
  return { access: config.access, provider: site.provider, ready: site.ready };
}
