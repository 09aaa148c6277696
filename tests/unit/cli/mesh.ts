import type { HealthMesh } from "../../../engine/health/health-mesh.ts";
import { observeMesh, type SourceState } from "../../../engine/health/observe-mesh.ts";
import { label } from "../../../engine/model/vocabulary.ts";
import type { Inputs, MirrorsArgs } from "../../../engine/model/state.ts";
import type { Facts } from "../../../cli/facts/facts.ts";
import { factsOfClusters } from "../../../cli/facts/facts-of-clusters.ts";
import type { ApiServer } from "../../simulation/api-server.ts";
import { runOf, type Servers, SimulatedClusters } from "../../simulation/clusters.ts";
import { serverWith } from "../../simulation/contents.ts";
import { argsFor } from "../fixtures/checked.ts";
import {
  cluster,
  endpoints,
  exported,
  exporting,
  now,
  pods,
  service,
} from "../fixtures/objects.ts";

const member = { labels: { [label.federated]: "member" } };

/**
 * East has mirrors of west, through its gateway, and of north, on a flat network. West's ledger has no namespace
 * there, and its metrics are not exported; bb of both is federated, and headless in north.
 */
export class Mesh {
  readonly clusters: { west?: ApiServer; north?: ApiServer; readonly east: ApiServer };
  args: MirrorsArgs = argsFor(["west", { target: "north", gateway: false }]);
  inputs: Inputs | undefined;

  constructor() {
    this.clusters = {
      west: serverWith(
        exporting(
          "west",
          [
            ...[exported("shop/web"), exported("payments/ledger"), service("shop/metrics")],
            service("shop/bb", member),
          ],
          { endpoints: [endpoints("shop/web", [pods(["", ""])])] },
        ),
      ),
      north: serverWith(
        cluster("north", { services: [service("shop/bb", member, { clusterIP: "None" })] }),
      ),
      east: serverWith(cluster("east", { namespaces: ["shop"] })),
    };
  }

  configure(target: string, settings: Partial<MirrorsArgs["links"][number]>): void {
    const links = this.args.links.map((link) =>
      link.target === target ? { ...link, ...settings } : link,
    );
    this.args = { ...this.args, links };
  }

  async up(): Promise<this> {
    this.inputs = await runOf(this.clusters, this.args, now, this.inputs);
    return this;
  }

  async facts(): Promise<Facts> {
    const state: SourceState = { args: this.args, before: this.inputs ?? {} };
    const sources = new Map([["east", state]]);
    const world = new SimulatedClusters(this.clusters satisfies Servers);
    const identities = this.inputs?.identities ?? {};
    const read = { sources, identities, clusters: world };
    const views = await observeMesh(this.#healthMesh(), now, read);
    return factsOfClusters(views, { now, stack: "prod", sources });
  }

  #healthMesh(): HealthMesh {
    return {
      manage: "mirrors",
      linkerdNamespace: "linkerd",
      clusters: this.args.clusters,
      multiclusterNamespace: "linkerd-multicluster",
      links: this.args.links.map((link) => ({ link, mirroring: "pulumi" })),
    };
  }
}
