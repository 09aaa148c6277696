import { rejects } from "node:assert/strict";
import { nextTick } from "node:process";

import { Clusters } from "../../../engine/reading/clusters.ts";

describe("resolving a hostname in a cancelled run", () => {
  it("fails as cancelled, before and after it has begun", async () => {
    const stop = new AbortController();
    const cancellation = { stop: stop.signal, abort: stop.signal };
    const clusters = new Clusters({ cancellation });
    const underWay = clusters.resolve("under-way.invalid");
    await new Promise((resolve) => {
      nextTick(resolve, undefined);
    });
    stop.abort();
    const cancelled = /^Error: the run was cancelled$/;
    await rejects(underWay, cancelled);
    await rejects(clusters.resolve("later.invalid"), cancelled);
  });
});
