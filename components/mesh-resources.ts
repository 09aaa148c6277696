import * as pulumi from "@pulumi/pulumi";
import type { HealthArgs } from "@linkerd-multicluster/engine/health";
import type { LinkConfig, MeshConfig } from "../config/mesh.ts";
import { mirrorsArgs } from "../config/mirrors.ts";
import { healthMesh, ownLinks } from "../config/share.ts";
import { isSecret } from "../config/stack.ts";
import type { Cluster } from "./cluster.ts";
import { makeClusters, RevokedCluster } from "./clusters.ts";
import { EngineResource, type Given } from "./engine-resource.ts";
import { Link } from "./link.ts";
import { LinkerdCliCheck } from "./linkerd-cli-check.ts";
import { Mirrors } from "./mirrors.ts";
import type { Preflight } from "./preflight.ts";
import { revocationArgs } from "./revocation.ts";

/** A mesh whose config has no mistake. */
export interface CheckedMesh {
  readonly config: MeshConfig;
  readonly preflight?: Preflight | undefined;
  /** Whether some Helm values are secrets, so that all of them are treated as such. */
  readonly secretValues?: boolean;
  /** Whether the outputs list the mirrors, as other programs have them. */
  readonly listed?: boolean;
}

/** The resources of a mesh, all of them below its component. */
export class MeshResources {
  /** The mirrors by source. */
  readonly mirrors = new Map<string, Mirrors>();
  /** PEM of the anchors that each cluster trusts, by cluster; none where others provide them. */
  readonly trustAnchors = new Map<string, pulumi.Output<string>>();
  readonly #config: MeshConfig;
  readonly #parent: pulumi.Resource;
  /** Whether the outputs of mirrors list them. */
  readonly #listed: boolean;
  /** Whatever changes when a run has changed something, by what has changed. */
  readonly #revisions: Record<string, pulumi.Output<unknown>> = {};
  /** The resources that have to be through before the mesh can be verified. */
  readonly #made: pulumi.Resource[] = [];
  /** By cluster, that it is this stack's and no other's; none where this stack has them all. */
  /** The revocations by the cluster that loses access. */
  readonly #revocations = new Map<string, pulumi.Resource>();

  /**
   * @param preflight what is live on the clusters now; absent for `manage: mirrors`, which needs no
   *   more than the mirrors themselves read
   */
  constructor(
    { config, preflight, secretValues = isSecret("clusters"), listed = false }: CheckedMesh,
    { parent }: { readonly parent: pulumi.Resource },
  ) {
    this.#config = config;
    this.#parent = parent;
    this.#listed = listed;
    const clusters =
      preflight === undefined
        ? new Map<string, Cluster>()
        : makeClusters(config, { preflight, secretValues }, parent);
    for (const [name, { ready, revision, trustBundle }] of clusters) {
      // The clusters too: nothing else waits for one that no link touches.
      this.#made.push(ready);
      if (revision !== undefined) this.#revisions[name] = revision;
      if (trustBundle !== undefined) this.trustAnchors.set(name, trustBundle);
    }
    this.#revoke(preflight, clusters);
    const bySource = Map.groupBy(ownLinks(config), ({ spec }) => spec.source);
    for (const [name, links] of bySource) {
      const source = clusters.get(name);
      const made = links.flatMap((link) => {
        const target = clusters.get(link.spec.target);
        return source === undefined || target === undefined ? [] : this.#link(link, source, target);
      });
      this.#mirrors(name, made, source);
    }
    if (preflight !== undefined) this.#verify();
  }

  /** Ends the access of all that is revoked first; a revoked cluster is told nothing of it. */
  #revoke(preflight: Preflight | undefined, clusters: ReadonlyMap<string, Cluster>): void {
    const parent = this.#parent;
    const { manage, revoked, sources } = this.#config;
    if (preflight !== undefined)
      for (const [name, config] of revoked.clusters) {
        const installed = manage === "all" && sources.has(name);
        new RevokedCluster(name, { config, installed }, { parent });
      }
    for (const args of revocationArgs(this.#config, preflight?.uids ?? new Map())) {
      const { source, targets } = args;
      const dependsOn = Object.keys(targets).flatMap((name) => clusters.get(name)?.identity ?? []);
      const props = { ...args, revision: undefined };
      const revocation = new EngineResource("Revocation", source, props, { parent, dependsOn });
      this.#revocations.set(source, revocation);
      this.#made.push(revocation);
    }
  }

  #link(config: LinkConfig, source: Cluster, target: Cluster): Link {
    const { linkerdNamespace, multiclusterNamespace } = this.#config;
    const link = new Link(
      `${config.spec.source}/${config.spec.target}`,
      {
        ...{ ...config, source, target },
        // Before anything of a source can fail, which may be why its link is revoked.
        revocation: this.#revocationOf(config.spec.source),
        namespaces: { linkerd: linkerdNamespace, multicluster: multiclusterNamespace },
      },
      { parent: this.#parent },
    );
    this.#made.push(link);
    this.#revisions[`${link.name}/credentials`] = link.credentials.revision;
    return link;
  }

  #revocationOf(source: string): pulumi.Resource[] {
    const found = this.#revocations.get(source);
    return found === undefined ? [] : [found];
  }

  /**
   * One resource for everything that is mirrored into a cluster. It waits for the Links, because the
   * destination controller never looks again for a cluster that it did not know when a mirror came
   * up (linkerd-behaviour.md 5), and for the charts, whose controllers may take links over.
   */
  #mirrors(source: string, links: readonly Link[], cluster: Cluster | undefined): void {
    const config = this.#config;
    const args = mirrorsArgs(config, source, fullStackName());
    if (args === undefined) return;
    const own = new Set(args.links.map(({ target }) => target));
    const observed = links
      .filter(({ target }) => own.has(target))
      .map(({ target, observedGateway }) => [target, observedGateway] as const);
    const mirrors = new Mirrors(
      source,
      {
        ...args,
        statusIn: config.multiclusterNamespace,
        ...(this.#listed && { listed: true }),
        ...(observed.length > 0 && { observedGateways: Object.fromEntries(observed) }),
      },
      {
        parent: this.#parent,
        dependsOn: [
          ...links.map(({ credentials }) => credentials),
          ...this.#revocationOf(source),
          ...(cluster === undefined ? [] : [cluster.ready]),
        ],
      },
    );
    this.#made.push(mirrors);
    this.mirrors.set(source, mirrors);
    this.#revisions[`${source}/mirrors`] = mirrors.revision;
  }

  /** Once everything else is through, whether the mesh is in order. A preview checks nothing. */
  #verify(): void {
    const parent = this.#parent;
    const mesh = healthMesh(this.#config, fullStackName());
    const args: Given<HealthArgs> = { mesh, triggers: this.#revisions };
    const health = new EngineResource("Health", "health", args, {
      ...{ parent, dependsOn: [...this.#made] },
    });
    if (!this.#config.linkerdCheck) return;
    const triggers = pulumi.all(Object.values(this.#revisions));
    const dependsOn = [...this.#made, health];
    new LinkerdCliCheck("linkerd-check", { mesh, triggers }, { parent, dependsOn });
  }
}

/** As stacks are told apart: two organizations may have a stack of the same name. */
function fullStackName(): string {
  return `${pulumi.getOrganization()}/${pulumi.getProject()}/${pulumi.getStack()}`;
}
