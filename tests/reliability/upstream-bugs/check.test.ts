import { deepEqual, equal, match } from "node:assert/strict";
import { clusterChecks, linkChecks } from "../../../engine/health/checks/all.ts";
import { singleController } from "../../../engine/health/checks/controllers.ts";
import { gatewayKnown, mirrorsHaveEndpoints } from "../../../engine/health/checks/endpoints.ts";
import { noOrphans } from "../../../engine/health/checks/orphans.ts";
import { anchorsShared } from "../../../engine/health/checks/trust.ts";
import { readCluster } from "../../../engine/health/observe/cluster.ts";
import type { ClusterReading } from "../../../engine/health/view.ts";
import { resources } from "../../../engine/kubernetes/resources.ts";
import type { ClusterSnapshot } from "../../../engine/mirroring/model/snapshot.ts";
import { called } from "../../../engine/trust/certificate.ts";
import { ofPart } from "../../../engine/mirroring/decide/decision.ts";
import { cluster, exported } from "../../unit/fixtures/objects.ts";
import { fed } from "../../unit/fixtures/federation.ts";
import { MemoryCluster } from "../../unit/fixtures/memory-cluster.ts";
import { argsFor, controller, exporting, lookedAt, World } from "../../unit/fixtures/world.ts";
import {
  clusterView,
  east,
  linkReading,
  linkView,
  mesh,
  outOfReach,
  reading,
  root,
  said,
  west,
} from "../../unit/health/views.ts";
import { type Authority, authority } from "../../unit/trust/certificates.ts";

/** How grave the findings are. */
function severities(lines: readonly string[]): string[] {
  return lines.map((line) => line.slice(0, line.indexOf(":")));
}

describe("bugs of linkerd multicluster check", () => {
  it("linkerd2#10893: looking at many mirrors takes no more requests than looking at one", async () => {
    const requests = async (count: number) => {
      const services = Array.from({ length: count }, (_, index) => exported(`shop/web-${index}`));
      const clusters = {
        east: new MemoryCluster(cluster("east", { namespaces: ["shop"] })),
        west: new MemoryCluster(exporting("west", services)),
      };
      const lines: string[] = [];
      for (const memory of Object.values(clusters))
        memory.refuse = (line) => {
          lines.push(line);
          return undefined;
        };
      await Promise.all(Object.values(clusters).map(readingOf));
      const { decided } = await lookedAt(clusters, argsFor(["west"]));
      equal(ofPart(decided.decisions, "west").length, count);
      return lines.sort();
    };
    deepEqual(await requests(500), await requests(1));
  });

  it("linkerd2#11447: the gateway of a link that has none is not asked for", () => {
    const view = linkView({ link: { gateway: false } });
    deepEqual(said(gatewayKnown, view), ["skipped: the link has no gateway (gateway: false)"]);
  });

  it("linkerd2#13376: a federated Service is no orphan, and needs no Endpoints", () => {
    const services = [fed("shop/bb", { remote: "bb@west" })];
    const source = cluster("east", { services });
    deepEqual(said(noOrphans, clusterView({ reading: reading(source) })), []);
    deepEqual(said(mirrorsHaveEndpoints, linkView({ source: reading(source) })), []);
  });

  for (const name of ["controller-west", "linkerd-service-mirror-west"])
    it(`linkerd2#13859: a controller is found by whichever chart it came, as the Deployment ${name}`, async () => {
      const { metadata } = controller("west");
      const deployments = [{ metadata: { ...metadata, name } }];
      const source = await readingOf(new MemoryCluster(east, { deployments }));
      deepEqual(severities(said(singleController, linkView({ source }))), ["warning"]);
    });

  it("linkerd2#14418: nothing passes that could not be read", () => {
    const why = "cluster west can't be reached";
    const federated = { why };
    const ofCluster = clusterView({ reading: outOfReach, federated });
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
});

describe("bugs of linkerd multicluster check: trust", () => {
  const next = authority({ name: "next" });
  const former = authority({ name: "former" });

  /** A cluster that trusts these, while the values it was installed with say something else. */
  async function trusts(snapshot: ClusterSnapshot, ...anchors: Authority[]) {
    const memory = new MemoryCluster(snapshot);
    const bundle = anchors.map(({ pem }) => pem).join("\n");
    const values = JSON.stringify({
      clusterDomain: "cluster.local",
      identityTrustAnchorsPEM: snapshot === west ? former.pem : root.pem,
    });
    for (const [name, data] of [
      ["linkerd-identity-trust-roots", { "ca-bundle.crt": bundle }],
      ["linkerd-config", { values }],
    ] as const)
      await memory.create(resources.configMaps, { metadata: { namespace: "linkerd", name }, data });
    return readingOf(memory);
  }

  it("linkerd2#7449: what counts is the trust bundle that proxies get, not the values of Linkerd's chart", async () => {
    const source = await trusts(east, next, root);
    const target = await trusts(west, root, next);
    deepEqual(said(anchorsShared, linkView({ source, target })), []);
  });

  it("linkerd2#11668: clusters whose bundles have nothing in common fail, whatever the values say, and the anchors are named", async () => {
    const [line = ""] = said(
      anchorsShared,
      linkView({ source: await trusts(east, next), target: await trusts(west, root) }),
    );
    match(line, /^error: /);
    for (const { certificate } of [next, root]) equal(line.includes(called(certificate)), true);
  });

  it("linkerd2#11668: one anchor more on one side, as in a rotation, is no error", async () => {
    const source = await trusts(east, root, next);
    const target = await trusts(west, root);
    deepEqual(severities(said(anchorsShared, linkView({ source, target }))), ["warning"]);
  });
});

function readingOf(memory: MemoryCluster): Promise<ClusterReading> {
  return readCluster(new World({ [memory.cluster]: memory }), mesh(), memory.cluster);
}
