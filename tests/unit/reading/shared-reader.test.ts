import { deepEqual, equal } from "node:assert/strict";
import type { Kubernetes } from "../../../engine/kubernetes/client/interface.ts";
import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import { sharedReader } from "../../../engine/reading/shared-reader.ts";
import { serverWith } from "../../simulation/contents.ts";
import { cluster, service } from "../fixtures/objects.ts";

describe("the reader of a target", () => {
  it("asks once for what all links to it ask, and for a minute", async () => {
    const server = serverWith(cluster("west", { services: [service("shop/web")] }));
    const client = await server.client();
    let [requests, now] = [0, 0];
    const counted: Kubernetes = {
      ...client,
      cluster: "west",
      find: (...question) => {
        requests += 1;
        return client.find(...question);
      },
      list: (...question) => {
        requests += 1;
        return client.list(...question);
      },
    };
    const reader = sharedReader(counted, { now: () => now });
    const at = { namespace: "shop", name: "web" };
    const ask = () =>
      Promise.all([
        reader.find(resources.services, at),
        reader.find(resources.configMaps, at),
        reader.list(resources.services),
        reader.list(resources.services, { namespace: "shop", labelSelector: "app=web" }),
      ]);
    const answers = await ask();
    deepEqual(
      [answers[0]?.metadata.name, answers[1], answers[2].length > 0],
      ["web", undefined, true],
    );
    deepEqual(await ask(), answers);
    equal(requests, 4);
    now = 61_000;
    await ask();
    equal(requests, 8);
  });
});
