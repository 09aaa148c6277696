import { deepEqual } from "node:assert/strict";
import { mirrorsInOrder } from "../../../engine/health/checks/mirrors.ts";
import { observeMesh } from "../../../engine/health/observe-mesh.ts";
import { runOf, SimulatedClusters } from "../../simulation/clusters.ts";
import { serverWith } from "../../simulation/contents.ts";
import { argsFor } from "../fixtures/checked.ts";
import { cluster, now } from "../fixtures/objects.ts";
import { clusterOf } from "../fixtures/scenario-text.ts";
import { said } from "./views.ts";

const extension = "linkerd-multicluster";
const gateway = { namespace: extension, name: "linkerd-gateway", addresses: ["192.0.2.7"] };
const words =
  "plain :mc-probe @mirror.linkerd.io/probe-path=/ready @mirror.linkerd.io/probe-period=3";

it("health of a link knows the probe of its gateway", async () => {
  const probed = { target: "west", prober: "x", gateway: { ...gateway, port: 1, identity: "gw" } };
  const west = clusterOf("west", `${extension}/ ${extension}/linkerd-gateway(${words})`);
  const east = serverWith(cluster("east", { namespaces: [extension] }));
  const servers = { east, west: serverWith(west) };
  const args = argsFor([probed], { statusIn: extension });
  await runOf(servers, args, now);
  const saidNow = async () => {
    const mesh = {
      manage: "links",
      linkerdNamespace: "linkerd",
      multiclusterNamespace: extension,
      clusters: args.clusters,
      links: args.links.map((link) => ({ link, mirroring: "pulumi" as const })),
    } as const;
    const clusters = new SimulatedClusters(servers);
    const { links } = await observeMesh(mesh, now, { clusters });
    return links.flatMap((view) => said(mirrorsInOrder, view));
  };
  deepEqual(await saidNow(), []);
  east.delete("services", `${extension}/ping-west`);
  deepEqual(await saidNow(), [
    "error: gateway probe east/linkerd-multicluster/ping-west is missing. Fix: pulumi up",
  ]);
});
