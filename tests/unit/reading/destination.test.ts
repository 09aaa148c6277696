import { deepEqual, equal } from "node:assert/strict";
import { destinationLabel } from "../../../engine/credentials/objects.ts";
import { hasDestination } from "../../../engine/reading/credentials.ts";
import { SimulatedClusters } from "../../simulation/clusters.ts";
import { serverWith } from "../../simulation/contents.ts";
import { link } from "../fixtures/link.ts";
import { cluster } from "../fixtures/objects.ts";

it("credentials to discover pods are found by their label, and asked for only by who may list them", async () => {
  const east = serverWith(cluster("east"));
  const config = { clusters: { east: { context: "east" } } };
  const found = () => hasDestination(config, new SimulatedClusters({ east }), link(), "linkerd");
  equal(await found(), false);
  const labels = { [destinationLabel]: "west" };
  for (const metadata of [
    { namespace: "linkerd-multicluster", name: "mirror", labels },
    { namespace: "linkerd", name: "other", labels: { [destinationLabel]: "north" } },
  ]) {
    east.put("secrets", { metadata });
    equal(await found(), false);
  }
  east.put("secrets", { metadata: { namespace: "linkerd", name: "any", labels } });
  equal(await found(), true);
  const asked: string[] = [];
  east.refuse = (request) => void asked.push(request);
  east.allows = ({ resource }) => resource !== "secrets";
  equal(await found(), undefined);
  deepEqual(asked, ["create accessreviews"]);
});
