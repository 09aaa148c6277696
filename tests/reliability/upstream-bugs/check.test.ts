import { deepEqual, equal } from "node:assert/strict";
import { clusterChecks, linkChecks } from "../../../engine/health/checks/all.ts";
import { singleController } from "../../../engine/health/checks/controllers.ts";
import { anchorsShared } from "../../../engine/health/checks/trust.ts";
import { readCluster } from "../../../engine/health/observe/cluster.ts";
import type { ClusterFacts } from "../../../engine/health/view.ts";
import type { ClusterSnapshot } from "../../../engine/mirroring/model/snapshot.ts";
import { MemoryCluster } from "../../unit/fixtures/memory-cluster.ts";
import { argsFor, controller, exporting, lookedAt, World } from "../../unit/fixtures/world.ts";
import { cluster, exported } from "../../unit/fixtures/objects.ts";
import {
  clusterView,
  east,
  linkReading,
  linkView,
  mesh,
  outOfReach,
  root,
  said,
  west,
} from "../../unit/health/views.ts";
import { authority } from "../../unit/trust/certificates.ts";

describe("bugs of linkerd multicluster check", () => {
  it("linkerd2#10893: looking at many mirrors takes no more requests than looking at one", async () => {
    const requests = async (count: number) => {
      const services = Array.from({ length: count }, (_, index) => exported(`shop/web-${index}`));
      const source = new MemoryCluster(cluster("east", { namespaces: ["shop"] }));
      const clusters = { east: source, west: new MemoryCluster(exporting("west", services)) };
      const lines: string[] = [];
      for (const memory of Object.values(clusters)) memory.refuse = (line) => void lines.push(line);
      await Promise.all(Object.values(clusters).map(readingOf));
      const { decided } = await lookedAt(clusters, argsFor(["west"]));
      equal(decided.judged.get("west")?.length, count);
      return lines.sort();
    };
    deepEqual(await requests(400), await requests(1));
  });

  for (const name of ["controller-west", "linkerd-service-mirror-west"])
    it(`linkerd2#13859: a controller is found by whichever chart it came, as the Deployment ${name}`, async () => {
      const { metadata } = controller("west");
      const deployments = [{ metadata: { ...metadata, name } }];
      const source = await readingOf(new MemoryCluster(east, { deployments }));
      deepEqual(said(singleController, linkView({ source })).length, 1);
    });

  it("linkerd2#14418: nothing passes that could not be read", () => {
    const why = "cluster west can't be reached";
    const ofCluster = clusterView({ reading: outOfReach, federated: { why } });
    const unknown = linkReading({
      ...{ gateway: { why }, gatewayFacts: { why }, mirrors: { why } },
      credentials: { mirror: { why }, destination: { why } },
    });
    const ofLink = linkView({ source: outOfReach, target: outOfReach, reading: unknown });
    const passed = [
      ...clusterChecks.filter((check) => said(check, ofCluster).length === 0),
      ...linkChecks.filter((check) => said(check, ofLink).length === 0),
    ];
    deepEqual(
      passed.map(({ id }) => id),
      [],
    );
  });

  it("linkerd2#7449: what counts is the trust bundle that proxies get, not the values of Linkerd's chart", async () => {
    const former = authority({ name: "former" }).pem;
    const trusting = async (snapshot: ClusterSnapshot, anchors: string) => {
      const memory = new MemoryCluster(snapshot);
      const values = JSON.stringify({
        clusterDomain: "cluster.local",
        identityTrustAnchorsPEM: anchors,
      });
      for (const [name, data] of [
        ["linkerd-identity-trust-roots", { "ca-bundle.crt": root.pem }],
        ["linkerd-config", { values }],
      ] as const) {
        const metadata = { namespace: "linkerd", name };
        memory.put("configmaps", { metadata, data });
      }
      return readingOf(memory);
    };
    const source = await trusting(east, root.pem);
    const target = await trusting(west, former);
    deepEqual(said(anchorsShared, linkView({ source, target })), []);
  });
});

function readingOf(memory: MemoryCluster): Promise<ClusterFacts> {
  return readCluster(new World({ [memory.name]: memory }), mesh(), memory.name);
}
