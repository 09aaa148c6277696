import * as z from "zod";
import { list, optional, section } from "./schema.ts";
import * as syntax from "./syntax.ts";

export const topologyRule =
  "none, mesh, {hub: <cluster>} or {regions: {<region>: [<cluster>, ...]}}";

export const clusterName = z.string({ error: "the name of a configured cluster" });

export const topology = section("a topology", {
  hub: optional(clusterName, "no hub", "the cluster that is linked with every other"),
  regions: optional(
    z.record(syntax.oneLine("the name of a region"), list(clusterName, "a list of clusters"), {
      error: "a map of regions with their clusters",
    }),
    "no regions",
    "the clusters of each region, every cluster in one: links within a region are flat (`gateway: false`) and mirror from pod to pod what is exported in either way; links between regions mirror through gateways only (docs/guides/flat-networks.md)",
  ),
});
