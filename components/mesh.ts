import * as pulumi from "@pulumi/pulumi";
import { giveKubeconfigs, nameOfGiven } from "@linkerd-multicluster/engine/kubernetes";
import type { MeshArgs } from "./mesh-args.ts";
import type { MeshConfig } from "../config/mesh.ts";
import { parseConfig } from "../config/parse.ts";
import { keepKubeconfig } from "./given-kubeconfigs.ts";
import { type CheckedMesh, MeshResources } from "./mesh-resources.ts";
import type { Lists, Mirrors } from "./mirrors.ts";
import { preflight } from "./preflight.ts";

/**
 * One Linkerd multi-cluster mesh of the clusters of a program. One program has one mesh.
 *
 *     new Mesh("mesh", {
 *       clusters: { west: { kubeconfig: west.kubeconfig }, east: { kubeconfig: east.kubeconfig } },
 *       links: [{ source: "east", target: "west" }],
 *     });
 */
export class Mesh extends pulumi.ComponentResource {
  /** The mirrors by source cluster. */
  readonly mirrors: pulumi.Output<Readonly<Record<string, Lists>>>;
  /** The reasons why exported Services are not mirrored, by source cluster. */
  readonly notMirrored: pulumi.Output<Readonly<Record<string, Lists>>>;
  /** PEM of the anchors that each cluster trusts, by cluster, where this program manages them. */
  readonly trustAnchors: pulumi.Output<Readonly<Record<string, string>>>;

  constructor(name: string, args: MeshArgs | CheckedMesh, opts?: pulumi.ComponentResourceOptions) {
    super("linkerd-multicluster:index:Mesh", name, {}, opts);
    const made =
      "config" in args
        ? Promise.resolve(new MeshResources(args, { parent: this }))
        : this.#checked(name, args).then(
            (checked) => new MeshResources(checked, { parent: this, listed: true }),
          );
    const bySource = <T>(list: (mirrors: Mirrors) => pulumi.Output<T>) =>
      pulumi.output(
        made.then(({ mirrors }) =>
          Object.fromEntries([...mirrors].map(([source, each]) => [source, list(each)])),
        ),
      ) as pulumi.Output<Readonly<Record<string, T>>>;
    this.mirrors = bySource(({ mirrors }) => mirrors.apply((lists = {}) => lists));
    this.notMirrored = bySource(({ notMirrored }) => notMirrored.apply((lists = {}) => lists));
    this.trustAnchors = pulumi.output(
      made.then(({ trustAnchors }) => Object.fromEntries(trustAnchors)),
    );
    // Pulumi waits for these before it takes the program to be through.
    this.registerOutputs("config" in args ? {} : { trustAnchors: this.trustAnchors });
  }

  /** @throws RunError with every mistake in the arguments, or in what the clusters have */
  async #checked(name: string, { clusters, ...rest }: MeshArgs): Promise<CheckedMesh> {
    const given = Object.entries(clusters).flatMap(([cluster, { kubeconfig }]) => {
      if (kubeconfig === undefined) return [];
      const called = nameOfGiven(name, cluster);
      return [{ cluster, called, content: keepKubeconfig(called, kubeconfig) }];
    });
    const named = Object.entries(clusters).map(([cluster, { kubeconfig, ...settings }]) => {
      const called = nameOfGiven(name, cluster);
      const own = { context: called, ...settings, kubeconfig: called };
      return [cluster, kubeconfig === undefined ? settings : own] as const;
    });
    // A program may well set a key to undefined, which means as much as to leave it out.
    const plain: unknown = JSON.parse(
      JSON.stringify({ ...rest, clusters: Object.fromEntries(named) }),
    );
    const parsed = parseConfig(plain);
    const mistakes =
      "mistakes" in parsed ? parsed.mistakes : unsupported(parsed.config, given.length);
    if (mistakes.length > 0 || !("config" in parsed))
      throw new pulumi.RunError([`The mesh ${name} needs a change:`, ...mistakes].join("\n  "));
    const { config } = parsed;
    if (config.manage === "mirrors") return { config };
    const known = given.map(
      async ({ called, content }) => [called, await valueOf(content)] as const,
    );
    for (const [called, content] of await Promise.all(known))
      if (content !== undefined) giveKubeconfigs({ [called]: content });
    const observed = await preflight(config);
    for (const warning of observed.warnings) await pulumi.log.warn(warning, this);
    return { config, preflight: observed };
  }
}

/** What only a stack of this program's own can have, in sentences. */
function unsupported({ manage, linkerdCheck }: MeshConfig, given: number): string[] {
  return [
    ...(manage === "trust"
      ? [
          "manage must be all, links or mirrors: only a stack of this program's own can be that of the trust root",
        ]
      : []),
    ...(linkerdCheck && given > 0
      ? [
          "linkerdCheck must be left out, as Linkerd's CLI reads kubeconfig files, and here clusters have values",
        ]
      : []),
  ];
}

/** The value of an output; undefined while it is not known, as in a preview. */
async function valueOf(output: pulumi.Output<string>): Promise<string | undefined> {
  // The SDK has no other way to ask.
  const { isKnown } = output as unknown as { readonly isKnown: Promise<boolean> };
  if (!(await isKnown)) return undefined;
  return new Promise((resolve) => output.apply(resolve));
}
