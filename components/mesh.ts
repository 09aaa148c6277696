import * as pulumi from "@pulumi/pulumi";
import type { MeshArgs } from "./mesh-args.ts";
import { checkedMesh } from "./checked-mesh.ts";
import { type CheckedMesh, makeMesh, type MeshResources } from "./mesh-resources.ts";
import type { Lists, LinkSummary, Mirrors } from "./mirrors.ts";

export const meshType = "linkerd-multicluster:index:Mesh";

/**
 * Creates a Linkerd multi-cluster mesh. A program can have only one.
 *
 *     new Mesh("mesh", {
 *       clusters: { west: { kubeconfig: west.kubeconfig }, east: { kubeconfig: east.kubeconfig } },
 *       links: [{ source: "east", target: "west" }],
 *     });
 */
export class Mesh extends pulumi.ComponentResource {
  /** The keys are source clusters. */
  readonly mirrors: pulumi.Output<Readonly<Record<string, Lists>>>;
  /** Reasons why exported Services aren't mirrored, by source cluster. */
  readonly notMirrored: pulumi.Output<Readonly<Record<string, Lists>>>;
  /** Names of federated Services (`namespace/name`), by source cluster. */
  readonly federated: pulumi.Output<Readonly<Record<string, readonly string[]>>>;
  /** Links that this program mirrors, by key, such as `east/west`. */
  readonly linkStatuses: pulumi.Output<Readonly<Record<string, LinkSummary>>>;
  /** Each cluster trusts these anchors (PEM), if this program manages them. */
  readonly trustAnchors: pulumi.Output<Readonly<Record<string, string>>>;
  readonly #made: Promise<MeshResources>;

  constructor(name: string, args: MeshArgs | CheckedMesh, opts?: pulumi.ComponentResourceOptions) {
    super(meshType, name, {}, opts);
    const checked = "config" in args ? Promise.resolve(args) : checkedMesh(name, args);
    const made = checked.then((mesh) => makeMesh(mesh, this));
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
    // Pulumi waits for these outputs before it considers the program finished.
    this.registerOutputs(
      "config" in args && args.listed !== true ? {} : { trustAnchors: this.trustAnchors },
    );
  }

  /**
   * Resolves once all resources are registered, for programs that use no output.
   *
   * @throws RunError if the config demands something impossible
   */
  async registered(): Promise<void> {
    await this.#made;
  }

  /**
   * Resolves once everything is done, for the plugin, whose exit code fails no run.
   *
   * @throws RunError with what fails the run in the end
   */
  async finished(): Promise<void> {
    const errors = await (await this.#made).errors();
    if (errors.length > 0) throw new pulumi.RunError(errors.join("\n"));
  }
}
