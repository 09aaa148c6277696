import { deepEqual } from "node:assert/strict";

import { Readiness } from "../../../automation/readiness.ts";

const looked = { event: "looked", milliseconds: 1, sources: [] } as const;
const lost = { event: "watchLost", why: "refused", retryIn: 1 } as const;

describe("readiness of the watch", () => {
  it("needs a look, and every watch of every cluster begun or tried", () => {
    const readiness = new Readiness();
    readiness.observe({ event: "clusterAdded", cluster: "east", kinds: ["services", "links"] });
    readiness.observe({ event: "clusterAdded", cluster: "west", kinds: ["services"] });
    deepEqual(readiness.missing, [
      "the state, or the first look at the clusters",
      "the watch of east: services",
      "the watch of east: links",
      "the watch of west: services",
    ]);
    readiness.observe(looked);
    readiness.observe({ event: "watching", cluster: "east", kind: "services" });
    readiness.observe({ ...lost, cluster: "east", kind: "links" });
    deepEqual(readiness.missing, ["the watch of west: services"]);
    readiness.observe({ event: "clusterRemoved", cluster: "west" });
    deepEqual(readiness.missing, []);
  });

  it("stays when a watch is lost later", () => {
    const readiness = new Readiness();
    readiness.observe({ event: "clusterAdded", cluster: "east", kinds: ["services"] });
    readiness.observe({ event: "watching", cluster: "east", kind: "services" });
    readiness.observe(looked);
    readiness.observe({ ...lost, cluster: "east", kind: "services" });
    deepEqual(readiness.missing, []);
  });
});
