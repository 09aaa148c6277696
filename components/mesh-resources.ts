import * as pulumi from "@pulumi/pulumi";
import { hasLinkerd, linkOwner } from "@linkerd-multicluster/engine/credentials";
import type { HealthArgs } from "@linkerd-multicluster/engine/health";
import type { LinkConfig, MeshConfig } from "../config/mesh.ts";
import { declaredArgs, declaredMesh, ownLinks, revocationArgs } from "../config/share.ts";
import { isSecret } from "../config/stack.ts";
import type { InstalledCluster } from "./cluster.ts";
import { ForgottenCluster, type MadeClusters, makeClusters } from "./clusters.ts";
import { fullStackName } from "./full-stack-name.ts";
import { EngineResource, type InputsOf } from "./engine-resource.ts";
import { Link } from "./link.ts";
import { LinkerdCliCheck } from "./linkerd-cli-check.ts";
import { announceFailure, Mirrors } from "./mirrors.ts";
import { after, detached, valueOf } from "./output-value.ts";
import type { Preflight } from "./preflight.ts";
import { guardRemovals, keptClusters } from "./removal-guard.ts";

export interface CheckedMesh {
  readonly config: MeshConfig;
  /** It is absent for `manage: mirrors`, which needs only what mirrors read. */
  readonly preflight?: Preflight | undefined;
  /** Some Helm values are secrets, so all are treated as such. */
  readonly secretValues?: boolean;
  /** The outputs list the mirrors, which other programs need. */
  readonly listed?: boolean;
}

export class MeshResources {
  readonly mirrors = new Map<string, Mirrors>();
  readonly trustAnchors = new Map<string, pulumi.Output<string>>();
  readonly #mesh: CheckedMesh;
  readonly #config: MeshConfig;
  readonly #parent: pulumi.Resource;
  readonly #revisions: Record<string, pulumi.Output<unknown>> = {};
  readonly #unverified: pulumi.Resource[] = [];
  /** Their keys are the clusters that lose access. */
  readonly #revocations = new Map<string, pulumi.Resource[]>();
  /** It stays empty with `manage: mirrors`, which prepares no cluster. */
  #made: MadeClusters = { clusters: new Map(), refused: new Map(), last: new Set(), held: [] };

  constructor(mesh: CheckedMesh, parent: pulumi.Resource) {
    this.#mesh = mesh;
    this.#config = mesh.config;
    this.#parent = parent;
  }

  /** The state decides what a cluster may get, so some resources have to finish before others start. */
  async make(): Promise<this> {
    const config = this.#config;
    const { preflight } = this.#mesh;
    const others = Promise.withResolvers<unknown>();
    const guard = this.#removalGuard();
    if (preflight === undefined) await guard([]);
    else await this.#makeClusters({ preflight, guard, others: others.promise });
    const { clusters, refused, last } = this.#made;
    this.#revoke(preflight);
    const isIn = (names: { has(name: string): boolean }) => (link: LinkConfig) =>
      names.has(link.spec.source) || names.has(link.spec.target);
    const [isRefused, isLast] = [isIn(refused), isIn(last)];
    const make = (links: readonly LinkConfig[], before: readonly pulumi.Resource[] = []) =>
      links.flatMap((link) => {
        const [source, target] = [clusters.get(link.spec.source), clusters.get(link.spec.target)];
        if (source === undefined || target === undefined) return [];
        return this.#link(link, source, target, before);
      });
    const bySource = Map.groupBy(ownLinks(config), ({ spec }) => spec.source);
    const failing: [source: string, links: readonly Link[]][] = [];
    for (const [source, links] of bySource) {
      if (last.has(source)) continue;
      const made = make(links.filter((link) => !isLast(link)));
      if (links.some(isRefused)) failing.push([source, made]);
      else this.#mirrors(source, made);
    }
    // Resources of a refused cluster fail, and after a failure Pulumi starts nothing more.
    const before = [...this.#unverified];
    for (const [source, made] of failing) this.#mirrors(source, made, before);
    const all = [...this.#unverified];
    // Without such clusters, nobody would handle its failure.
    if (last.size > 0) others.resolve(after(all));
    make(ownLinks(config).filter(isLast), all);
    for (const name of last) {
      // The mirrors there don't change, and in every run they depend on the cluster's Linkerd.
      this.#unverified.push(...this.#readyIn(name));
      if (bySource.has(name)) this.#mirrors(name, []);
    }
    if (preflight !== undefined) this.#verify();
    await announceFailure(this.mirrors.values(), refused.values(), this.#parent);
    return this;
  }

  /** Resolves once everything is done, with what fails the run then. */
  async errors(): Promise<readonly string[]> {
    await after(this.#unverified);
    return (await valueOf(pulumi.output(this.#made.errors))) ?? [];
  }

  #removalGuard(): Parameters<typeof makeClusters>[1]["guard"] {
    const config = this.#config;
    const parent = this.#parent;
    const forgotten = keptClusters(config).map((name) => {
      const known = config.clusters.get(name) ?? { name, access: { context: name } };
      return new ForgottenCluster(name, known, { parent });
    });
    return async (kept) => {
      const before = [...kept, ...forgotten.map(({ provider }) => provider)];
      const left = await guardRemovals(config, parent, before);
      for (const cluster of forgotten) if (hasLinkerd(left[cluster.name])) cluster.keepReleases();
    };
  }

  async #makeClusters(
    start: Pick<Parameters<typeof makeClusters>[1], "preflight" | "guard" | "others">,
  ): Promise<void> {
    const parent = this.#parent;
    const { secretValues = isSecret("clusters") || isSecret("charts") } = this.#mesh;
    const making = { ...start, secretValues, parent };
    this.#made = await makeClusters(this.#config, making);
    const { clusters, refused, last, held } = this.#made;
    for (const why of held)
      await pulumi.log.warn(
        `The trust of every cluster stays as it is in this run: ${why}`,
        parent,
      );
    for (const [name, why] of refused)
      await pulumi.log.warn(
        `Nothing is written to cluster ${name} in this run, which fails at its end, and its links stay as they are: ${why}`,
        parent,
      );
    for (const [name, { identity, ready, revision, trustBundle }] of clusters) {
      // Clusters are included, because nothing else waits for one without links.
      this.#unverified.push(last.has(name) ? identity : ready);
      if (revision !== undefined) this.#revisions[name] = revision;
      if (trustBundle !== undefined) this.trustAnchors.set(name, trustBundle);
    }
  }

  #revoke(preflight: Preflight | undefined): void {
    const parent = this.#parent;
    const { manage, revoked, sources } = this.#config;
    if (preflight !== undefined)
      for (const [name, config] of revoked.clusters) {
        const installed = manage === "all" && sources.has(name);
        const cluster = new ForgottenCluster(name, config, { parent });
        if (installed) cluster.retainReleases();
      }
    // Where two names lead to one cluster, nobody knows yet in which of them the access has ended.
    const uids = [...(preflight?.uids ?? [])].filter(([name]) => !preflight?.twins.has(name));
    for (const args of revocationArgs(this.#config, new Map(uids))) {
      const { source, targets } = args;
      const dependsOn = Object.keys(targets).flatMap(
        (name) => this.#made.clusters.get(name)?.identity ?? [],
      );
      const props = { ...args, revision: undefined };
      const revocation = new EngineResource("Revocation", source, props, { parent, dependsOn });
      this.#revocations.set(source, [revocation]);
      this.#unverified.push(revocation);
    }
  }

  #link(
    config: LinkConfig,
    source: InstalledCluster,
    target: InstalledCluster,
    before: readonly pulumi.Resource[],
  ): Link {
    const { linkerdNamespace, multiclusterNamespace } = this.#config;
    const link = new Link(
      `${config.spec.source}/${config.spec.target}`,
      {
        ...config,
        source,
        target,
        owner: linkOwner({ stack: fullStackName(), ...config.spec }),
        targetRefused: this.#made.refused.get(config.spec.target),
        // Before anything of the source can fail, which may be the reason for revoking its link.
        revocation: this.#revocations.get(config.spec.source) ?? [],
        namespaces: { linkerd: linkerdNamespace, multicluster: multiclusterNamespace },
      },
      { parent: this.#parent, dependsOn: after(before) },
    );
    this.#unverified.push(link.credentials.last);
    this.#revisions[`${link.name}/credentials`] = link.credentials.revision;
    return link;
  }

  #readyIn(cluster: string): pulumi.Resource[] {
    const made = this.#made.clusters.get(cluster);
    return made === undefined ? [] : [made.ready];
  }

  /**
   * Mirrors wait for the Links, because the destination controller never retries a cluster that it didn't know when a
   * mirror appeared (linkerd-behaviour.md 5), and for the charts, whose controllers may take links over.
   *
   * @param links those with neither a refused nor an unreachable end
   * @param before everything that has nothing to do with a refused end
   */
  #mirrors(source: string, links: readonly Link[], before: readonly pulumi.Resource[] = []): void {
    const config = this.#config;
    const args = declaredArgs(config, source, fullStackName());
    if (args === undefined) return;
    const distrusted = [...this.#made.refused].filter(([name]) => name in args.clusters);
    const own = new Set(args.links.map(({ target }) => target));
    const observed = links
      .filter(({ target }) => own.has(target))
      .map(({ target, observedGateway }) => [target, detached(observedGateway)] as const);
    const mirrors = new Mirrors(
      source,
      {
        ...args,
        statusIn: config.multiclusterNamespace,
        ...(this.#mesh.listed === true && { listed: true }),
        ...(distrusted.length > 0 && { distrusted: Object.fromEntries(distrusted) }),
        ...(observed.length > 0 && { observedGateways: Object.fromEntries(observed) }),
      },
      {
        parent: this.#parent,
        dependsOn: after(
          [...links.map(({ credentials }) => credentials.last), ...before],
          [...(this.#revocations.get(source) ?? []), ...this.#readyIn(source)],
        ),
      },
    );
    this.#unverified.push(mirrors);
    this.mirrors.set(source, mirrors);
    this.#revisions[`${source}/mirrors`] = mirrors.revision;
  }

  /** A preview checks nothing. */
  #verify(): void {
    const parent = this.#parent;
    const mesh = declaredMesh(this.#config, fullStackName());
    const refused = [...this.#made.held, ...this.#made.refused.values()];
    const args: InputsOf<HealthArgs> = {
      mesh: JSON.stringify(mesh),
      triggers: this.#revisions,
      ...(refused.length > 0 && { refused }),
    };
    const health = new EngineResource("Health", "checks", args, {
      parent,
      dependsOn: [...this.#unverified],
    });
    this.#unverified.push(health);
    if (!this.#config.linkerdCheck) return;
    const triggers = pulumi.all(Object.values(this.#revisions));
    const dependsOn = [...this.#unverified];
    new LinkerdCliCheck("linkerd-check", { mesh, triggers }, { parent, dependsOn });
  }
}
