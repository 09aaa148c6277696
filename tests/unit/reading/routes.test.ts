import { deepEqual } from "node:assert/strict";
import { routesIn } from "../../../engine/reading/linkerd.ts";
import { serverWith } from "../../simulation/contents.ts";
import { cluster } from "../fixtures/objects.ts";

it("routes are none where a cluster lacks their kind, which is told apart from none at all", async () => {
  const server = serverWith(cluster("east"));
  const read = async () => routesIn(await server.client());
  deepEqual(await read(), { httpRoutes: [], areServed: true, others: [] });
  server.refuse = (request) => (request.includes("httproutes") ? "notFound" : undefined);
  deepEqual(await read(), { httpRoutes: [], areServed: false, others: [] });
});
