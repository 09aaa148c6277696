import { equal, rejects } from "node:assert/strict";

import { until } from "../../../testbed/processes.ts";
import { startWatch } from "../../../testbed/watch.ts";
import { withFolder } from "../kubernetes/scripted-cluster.ts";

describe("waiting for a watch", () => {
  it("fails as soon as the watch has ended, with its last words", async () => {
    await withFolder(async (folder) => {
      const bed = { folder, path: [], settings: {} };
      const watch = startWatch(bed, { settings: { NODE_OPTIONS: "--no-such-option" } });
      const never = () => Promise.resolve(undefined);
      await rejects(until("a mirror", [watch], never), {
        name: "BedError",
        message:
          /^Waiting for a mirror: The watch ended \(9\)\. Its last words:\n.*--no-such-option/s,
      });
      equal(await watch.ended, 9);
    });
  });
});
