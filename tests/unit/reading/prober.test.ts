import { deepEqual, equal } from "node:assert/strict";
import { proberOf } from "../../../engine/reading/prober.ts";
import { SimulatedClusters } from "../../simulation/clusters.ts";
import { serverWith } from "../../simulation/contents.ts";
import { link } from "../fixtures/link.ts";
import { cluster, now } from "../fixtures/objects.ts";

const namespace = "linkerd-multicluster";
const probed = link({ prober: "mesh-watch:1" });
const where = "the prober east/linkerd-multicluster/prober-west";
const silent = { why: `${where} has said nothing for 60 s`, isSilent: true } as const;

function serverSaying(verdict: string, secondsAgo: number) {
  const east = serverWith(cluster("east", { namespaces: [namespace] }));
  east.put("leases", {
    metadata: {
      namespace,
      name: "service-mirror-write-west",
      annotations: { "linkerd-multicluster/gateway": verdict },
    },
    spec: { renewTime: new Date(now.getTime() - secondsAgo * 1000).toISOString() },
  });
  return east;
}

const said = (east = serverWith(cluster("east"))) =>
  proberOf(
    { clusters: { east: { context: "east" } } },
    new SimulatedClusters({ east }),
    probed,
    namespace,
    () => now,
  )?.();

describe("what a link's prober says", () => {
  for (const [what, verdict, secondsAgo, expected] of [
    ["is that the gateway is alive", "alive, 8 ms", 59, { milliseconds: 8 }],
    ["is why it is down", "down, HTTP status 503", 0, { down: "HTTP status 503", milliseconds: 0 }],
    ["counts for a minute", "alive, 8 ms", 60, silent],
    ["may be ahead of this clock by less", "alive, 8 ms", -59, { milliseconds: 8 }],
    ["does not count for ever by a time that is far ahead", "down, x", -60, silent],
    ["has to be a verdict", "\u001B[2J", 0, silent],
    ["is made safe for a terminal", "down, \u001B[2J", 0, { down: "?[2J", milliseconds: 0 }],
  ] as const)
    it(what, async () => {
      deepEqual(await said(serverSaying(verdict, secondsAgo)), expected);
    });

  it("is nothing while there is no Lease, or where the runner may not read it", async () => {
    deepEqual(await said(), { why: `${where} has said nothing yet`, isSilent: true });
    const east = serverSaying("alive, 8 ms", 0);
    east.refuse = () => "forbidden";
    const found = await said(east);
    equal(
      found !== undefined &&
        "why" in found &&
        found.isSilent === undefined &&
        /^what the prober .* says is unknown: cluster east refuses/.test(found.why),
      true,
    );
  });

  it("is asked of links with a prober alone", () => {
    const clusters = new SimulatedClusters({});
    equal(proberOf({ clusters: {} }, clusters, link(), namespace), undefined);
    equal(proberOf({ clusters: {} }, clusters, probed, undefined), undefined);
  });
});
