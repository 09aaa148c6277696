import { deepEqual, equal } from "node:assert/strict";
import { parseConfig } from "../../../config/parse.ts";
import { healthMesh } from "../../../config/share.ts";
import { failoverInOrder } from "../../../engine/health/checks/failover.ts";
import { observeMesh } from "../../../engine/health/observe-mesh.ts";
import { SimulatedClusters } from "../../simulation/clusters.ts";
import { serverWith } from "../../simulation/contents.ts";
import { Mesh } from "../../simulation/mesh.ts";
import { web } from "../fixtures/checked.ts";
import { cluster, exporting, now, service } from "../fixtures/objects.ts";
import { said } from "./views.ts";

const failover = { "shop/web": ["local", "west"] };
const route = "HTTPRoute east/shop/web-failover-80";

/** East fails over to west, as the config says. */
async function failing() {
  const own = { namespaces: ["shop"], services: [service("shop/web")] };
  const east = serverWith(cluster("east", own));
  const west = serverWith(exporting("west", [web]));
  const mesh = Mesh.of([east, west], { clusters: { west: {}, east: { failover } } });
  equal((await mesh.up()).failure, undefined);
  return { mesh, east, west };
}

async function saidOf({ config, stack, servers }: Mesh, of = "east"): Promise<string[]> {
  const parsed = parseConfig({ manage: "mirrors", ...config });
  if (!("config" in parsed)) throw new Error("the config has mistakes");
  const clusters = new SimulatedClusters(Object.fromEntries(servers));
  const views = await observeMesh(healthMesh(parsed.config, stack), now, { clusters });
  return views.clusters.flatMap((view) => (view.cluster === of ? said(failoverInOrder, view) : []));
}

describe("health of a cluster: requests fail over", () => {
  it("passes where the HTTPRoutes are those of the config", async () => {
    deepEqual(await saidOf((await failing()).mesh), []);
  });

  it("fails for each HTTPRoute that is missing, changed or left over", async () => {
    const { mesh, east } = await failing();
    east.edit("httproutes", "shop/web-failover-80", { spec: { rules: [] } });
    const differs = `error: ${route} differs from what it should be. Fix: pulumi up`;
    deepEqual(await saidOf(mesh), [differs]);
    const { config } = mesh;
    mesh.config = { ...config, clusters: { west: {}, east: {} } };
    const left = `error: ${route} is left over, since nothing asks for it. Fix: pulumi up`;
    deepEqual(await saidOf(mesh), [left]);
    mesh.config = config;
    east.delete("httproutes", "shop/web-failover-80");
    deepEqual(await saidOf(mesh), [`error: ${route} is missing. Fix: pulumi up`]);
  });

  it("fails where HTTPRoutes may not be listed, as the run does", async () => {
    const { mesh, east } = await failing();
    east.refuse = (request) => (request === "list httproutes" ? "forbidden" : undefined);
    const { failure = "" } = await mesh.up();
    const [finding = ""] = await saidOf(mesh);
    equal(finding.startsWith("error: cluster east"), true);
    equal(failure.includes(finding.replace("error: ", "")), true);
  });

  it("warns of a drained cluster, whether or not anything is routed out of it", async () => {
    const { mesh } = await failing();
    const drained = { drained: true };
    mesh.config = {
      ...mesh.config,
      clusters: { west: drained, east: { failover, ...drained } },
    };
    const warned = (name: string) =>
      `warning: cluster ${name} is drained, so routes and federated Services leave it out. Fix: remove drained from its config once it may serve`;
    deepEqual(await saidOf(mesh, "west"), [warned("west")]);
    equal((await saidOf(mesh))[0], warned("east"));
  });

  it("warns of a cluster to which requests can't fail over", async () => {
    const { mesh, west } = await failing();
    west.delete("services", "shop/web");
    await mesh.up();
    const sentence =
      "warning: east/shop/web: east has no mirror of it from west, so its requests don't fail over to west: export it there";
    deepEqual(await saidOf(mesh), [sentence]);
  });
});
