import * as pulumi from "@pulumi/pulumi";
import type { LinkConfig, MeshConfig } from "../config/mesh.ts";
import { mirrorsArgs } from "../config/mirrors.ts";
import { healthMesh, ownClusters, ownLinks } from "../config/share.ts";
import { type ClusterHandle, makeClusters, RevokedCluster } from "./clusters.ts";
import { Claim, Health } from "./engine-resources.ts";
import { Link, type LinkEnd } from "./link.ts";
import { LinkerdCliCheck } from "./linkerd-cli-check.ts";
import { Mirrors } from "./mirrors.ts";
import type { Preflight } from "./preflight.ts";
import { Revocation, revocationArgs } from "./revocation.ts";

/** A mesh whose config has no mistake. */
export interface CheckedMesh {
  readonly config: MeshConfig;
  readonly preflight?: Preflight | undefined;
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
  /** The claims by cluster; none where this stack has them all. */
  readonly #claims: ReadonlyMap<string, Claim>;
  /** The revocations by the cluster that loses access. */
  readonly #revocations = new Map<string, Revocation>();

  /**
   * @param preflight what is live on the clusters now; absent for `manage: mirrors`, which needs no
   *   more than the mirrors themselves read
   */
  constructor(
    { config, preflight, listed = false }: CheckedMesh,
    { parent }: { readonly parent: pulumi.Resource },
  ) {
    this.#config = config;
    this.#parent = parent;
    this.#listed = listed;
    this.#claims = this.#claim();
    const handles =
      preflight === undefined ? undefined : makeClusters(config, preflight, this.#claims, parent);
    for (const [cluster, { ready, revision, trustBundle }] of handles ?? []) {
      // The clusters too: nothing else waits for one that no link touches.
      this.#made.push(ready);
      if (revision !== undefined) this.#revisions[cluster] = revision;
      if (trustBundle !== undefined) this.trustAnchors.set(cluster, trustBundle);
    }
    this.#revoke(preflight, handles);
    const own = ownLinks(config);
    for (const source of new Set(own.map(({ spec }) => spec.source))) {
      const here = own.filter(({ spec }) => spec.source === source);
      const links = handles === undefined ? [] : here.map((link) => this.#link(link, handles));
      this.#mirrors(source, links, handles?.get(source));
    }
    if (handles !== undefined) this.#verify();
  }

  /** Claims this stack's clusters, where several stacks have those of a mesh. */
  #claim(): ReadonlyMap<string, Claim> {
    if (!this.#config.claims) return new Map();
    const stack = `${pulumi.getOrganization()}/${pulumi.getProject()}/${pulumi.getStack()}`;
    return new Map(
      [...ownClusters(this.#config)].map(([name, config]) => [
        name,
        new Claim(name, config, stack, { parent: this.#parent }),
      ]),
    );
  }

  /** Ends the access of all that is revoked first; a revoked cluster is told nothing of it. */
  #revoke(
    preflight: Preflight | undefined,
    handles: ReadonlyMap<string, ClusterHandle> | undefined,
  ): void {
    const { manage, revoked } = this.#config;
    if (preflight !== undefined)
      for (const [name, config] of revoked.clusters)
        new RevokedCluster(
          name,
          { config, installed: manage === "all" && this.#config.sources.has(name) },
          { parent: this.#parent },
        );
    for (const args of revocationArgs(this.#config, preflight?.uids ?? new Map())) {
      const identities = Object.keys(args.targets).flatMap(
        (target) => handles?.get(target)?.identity ?? [],
      );
      const revocation = new Revocation(args.source, args, {
        parent: this.#parent,
        dependsOn: identities,
      });
      this.#revocations.set(args.source, revocation);
      this.#made.push(revocation);
    }
  }

  /** The claim to depend on before anything is made for a source. */
  #claimOf(source: string): pulumi.Resource[] {
    const claim = this.#claims.get(source);
    return claim === undefined ? [] : [claim];
  }

  /** The revocation to depend on before anything of a source can fail, which may be why its link is revoked. */
  #revocationOf(source: string): pulumi.Resource[] {
    const revocation = this.#revocations.get(source);
    return revocation === undefined ? [] : [revocation];
  }

  #link(config: LinkConfig, handles: ReadonlyMap<string, ClusterHandle>): Link {
    const { source, target } = config.spec;
    const { linkerdNamespace, multiclusterNamespace, clusters, manage, sources } = this.#config;
    const apiServer = clusters.get(target)?.apiServer;
    const link = new Link(
      `${source}/${target}`,
      {
        config,
        source: {
          ...endOf(source, this.#config, handles),
          claim: this.#claimOf(source),
          revocation: this.#revocationOf(source),
        },
        target: {
          ...endOf(target, this.#config, handles),
          ...(apiServer !== undefined && { apiServer }),
          awaited: manage === "all" && !sources.has(target),
        },
        namespaces: { linkerd: linkerdNamespace, multicluster: multiclusterNamespace },
      },
      { parent: this.#parent },
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
  #mirrors(source: string, links: readonly Link[], handle: ClusterHandle | undefined): void {
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
        statusIn: config.multiclusterNamespace,
        ...(this.#listed && { listed: true }),
        ...(observed.length > 0 && { observedGateways: Object.fromEntries(observed) }),
      },
      {
        parent: this.#parent,
        dependsOn: [
          ...links.map(({ credentials }) => credentials),
          ...this.#claimOf(source),
          ...this.#revocationOf(source),
          ...(handle === undefined ? [] : [handle.ready]),
        ],
      },
    );
    this.#made.push(mirrors);
    this.mirrors.set(source, mirrors);
    this.#revisions[`${source}/mirrors`] = mirrors.revision;
  }

  /** Once everything else is through, whether the mesh is in order. */
  #verify(): void {
    const mesh = healthMesh(this.#config);
    const health = new Health(
      "health",
      { mesh, triggers: this.#revisions },
      { parent: this.#parent, dependsOn: [...this.#made] },
    );
    if (this.#config.linkerdCheck)
      new LinkerdCliCheck(
        "linkerd-check",
        { mesh, triggers: pulumi.all(Object.values(this.#revisions)) },
        { parent: this.#parent, dependsOn: [...this.#made, health] },
      );
  }
}

function endOf(
  name: string,
  { clusters }: MeshConfig,
  handles: ReadonlyMap<string, ClusterHandle>,
): LinkEnd {
  const config = clusters.get(name);
  const handle = handles.get(name);
  if (config === undefined || handle === undefined)
    throw new Error(`the config has no cluster ${name}`);
  const { provider, ready, unreachable } = handle;
  return { access: config.access, provider, ready, unreachable };
}
