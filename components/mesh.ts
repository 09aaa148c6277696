import * as pulumi from "@pulumi/pulumi";
import type { MeshArgs } from "./mesh-args.ts";
import { checkedMesh } from "./checked-mesh.ts";
import { type CheckedMesh, MeshResources } from "./mesh-resources.ts";
import type { Lists, LinkSummary, Mirrors } from "./mirrors.ts";

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
  /** The names of federated Services, as `namespace/name`, by source cluster. */
  readonly federated: pulumi.Output<Readonly<Record<string, readonly string[]>>>;
  /** The links that this program mirrors, by name, as `east/west`. */
  readonly linkStatuses: pulumi.Output<Readonly<Record<string, LinkSummary>>>;
  /** PEM of the anchors that each cluster trusts, by cluster, where this program manages them. */
  readonly trustAnchors: pulumi.Output<Readonly<Record<string, string>>>;
  readonly #made: Promise<unknown>;

  constructor(name: string, args: MeshArgs | CheckedMesh, opts?: pulumi.ComponentResourceOptions) {
    super("linkerd-multicluster:index:Mesh", name, {}, opts);
    const checked = "config" in args ? Promise.resolve(args) : checkedMesh(name, args);
    const made = checked.then((mesh) => MeshResources.make(mesh, { parent: this }));
    this.#made = made;
    const bySource = <T>(list: (mirrors: Mirrors) => pulumi.Output<T>) =>
      pulumi.output(
        made.then(({ mirrors }) =>
          Object.fromEntries([...mirrors].map(([source, each]) => [source, list(each)])),
        ),
      ) as pulumi.Output<Readonly<Record<string, T>>>;
    this.mirrors = bySource(({ mirrors }) => mirrors.apply((lists = {}) => lists));
    this.notMirrored = bySource(({ notMirrored }) => notMirrored.apply((lists = {}) => lists));
    this.federated = bySource(({ mirrors }) =>
      mirrors.apply(({ federated = {} } = {}) => Object.keys(federated).sort()),
    );
    this.linkStatuses = bySource(({ linkStatuses }) => linkStatuses).apply((all) =>
      Object.fromEntries(Object.values(all).flatMap((each) => Object.entries(each))),
    );
    this.trustAnchors = pulumi.output(
      made.then(({ trustAnchors }) => Object.fromEntries(trustAnchors)),
    );
    // Pulumi waits for these before it takes the program to be through.
    this.registerOutputs(
      "config" in args && args.listed !== true ? {} : { trustAnchors: this.trustAnchors },
    );
  }

  /**
   * Resolves once all resources are registered, which a program waits for that uses no output.
   *
   * @throws RunError where the config asks for what can't be done
   */
  async registered(): Promise<void> {
    await this.#made;
  }
}
