import { equal } from "node:assert/strict";
import { clusterReached } from "../../../engine/health/checks/all.ts";
import { clientsMeshed } from "../../../engine/health/checks/clients.ts";
import { linksServed } from "../../../engine/health/checks/link-resource.ts";
import { federatedInOrder } from "../../../engine/health/checks/mirrors.ts";
import { noOrphans } from "../../../engine/health/checks/orphans.ts";
import type { CheckedCluster } from "../../../engine/health/health-check.ts";
import { readMesh } from "../../../engine/mesh/read-mesh.ts";
import type { ClusterReading } from "../../../engine/mesh/reading.ts";
import { valueIn } from "../../../engine/result.ts";
import { desiredFederated } from "../../../engine/mirroring/decide/mirrors/federated.ts";
import { federatedPart } from "../../../engine/mirroring/model/owner.ts";
import { annotation, label } from "../../../engine/mirroring/model/vocabulary.ts";
import { link } from "../fixtures/link.ts";
import { managerOf } from "../../../engine/mirroring/model/marks.ts";
import { confirmed, confirmedBy } from "../fixtures/marks.ts";
import { SimulatedClusters } from "../../simulation/clusters.ts";
import { serverWith } from "../../simulation/contents.ts";
import { cluster, service } from "../fixtures/objects.ts";
import { planPart } from "../fixtures/reconcile.ts";
import { clusterView, east, mesh, outOfReach, reading, tells, unread } from "./views.ts";

const away = clusterView({ reading: outOfReach });

describe("health of a cluster: it can be read", () => {
  tells("says why not", clusterReached, away, ["fatal: cluster west can't be reached"]);
});

describe("health of a cluster: Links are served", () => {
  const withLinks = (links: NonNullable<ClusterReading["linkerd"]>["links"]) =>
    clusterView({ reading: reading(east, { links }) });

  tells("is in order without a Link", linksServed, withLinks({ value: [] }));
  tells("says that they are not", linksServed, withLinks({ value: undefined }), [
    "fatal: cluster east does not serve links.multicluster.linkerd.io in version v1alpha3: install the multicluster extension of Linkerd 2.18 or later there, or set manage: all",
  ]);
  const why = "cluster east does not let user me list links";
  tells("says that they may not be listed", linksServed, withLinks(unread(why)), [`fatal: ${why}`]);
});

describe("health of a cluster: every mirror belongs to a link", () => {
  const federated = unread("");
  const withServices = (
    services: ReturnType<typeof service>[],
    more: Partial<CheckedCluster> = {},
  ) => clusterView({ reading: reading(cluster("east", { services })), federated, ...more });
  const mirrorOf = (name: string, key: `${string}/${string}`, more = {}) =>
    service(key, { labels: { [label.mirrored]: "true", [label.cluster]: name, ...more } });
  const gone = [mirrorOf("gone", "shop/web-gone"), mirrorOf("gone", "shop/api-gone")];
  const orphans =
    "warning: 2 mirrors of cluster gone that no stack has marked, and no link of this stack targets that cluster from here: east/shop/web-gone, east/shop/api-gone; if nobody needs them, delete them: kubectl --context k3d-east --namespace shop delete service web-gone api-gone";
  const leavingFrom = (source: string) =>
    withServices(gone, { mesh: mesh({ leaving: [{ source, target: "gone" }] }) });

  const probe = mirrorOf("gone", "linkerd-multicluster/probe", { [label.mirroredGateway]: "true" });
  tells("passes over probes", noOrphans, withServices([probe]));
  const others = [...gone, mirrorOf("west", "shop/web-west")];
  tells("names what no link leads to, and a remedy", noOrphans, withServices(others), [orphans]);
  tells("passes over what goes at the end of this very run", noOrphans, leavingFrom("east"));
  tells("but not over what goes from elsewhere", noOrphans, leavingFrom("north"), [orphans]);
  const united = service("shop/web-federated", {
    labels: { [label.mirrored]: "true" },
    annotations: { [annotation.remoteMembers]: "web@west,web@gone" },
  });
  tells("names members that Linkerd cannot find", noOrphans, withServices([united]), [
    "warning: federated Service east/shop/web-federated has the member web@gone, but no link of this stack targets cluster gone from here and no stack has marked it: remove it from the annotation if nobody needs it",
  ]);
  const theirs = [
    confirmedBy("acme/other/prod", mirrorOf("gone", "shop/web-gone")),
    confirmed(managerOf("acme/other/prod", "gone"), united),
  ];
  tells("passes over what another stack has marked", noOrphans, withServices(theirs));
});

describe("health of a cluster: federated Services", () => {
  const member = service("shop/api", { labels: { [label.federated]: "member" } });
  const target = cluster("west", { services: [member] });
  const source = cluster("east", { namespaces: ["shop"] });
  const links = [{ link: link(), target, created: undefined }];
  const wanted = desiredFederated({
    source,
    links,
    removed: [],
    stacks: [],
    controllers: { value: [] },
  });
  const federated = { value: planPart(federatedPart, wanted, source).decisions };
  tells("names one that is missing", federatedInOrder, clusterView({ federated }), [
    "error: federated Service east/shop/api-federated is missing: run pulumi up",
  ]);

  const { federated: _none, ...without } = clusterView();
  const nothing = "skipped: this stack mirrors nothing into this cluster";
  tells("is skipped where no link feeds any", federatedInOrder, without, [nothing]);
  const unknown = clusterView({ federated: { value: undefined } });
  const skipped = "skipped: a cluster that it takes can't be read";
  tells("is skipped where a cluster can't be read", federatedInOrder, unknown, [skipped]);
});

describe("health of a cluster: clients of mirrors have a proxy", () => {
  const beside = (unmeshed: NonNullable<ClusterReading["unmeshed"]>) =>
    clusterView({ reading: { ...reading(east), unmeshed } });

  tells("is a warning for each namespace", clientsMeshed, beside({ value: ["shop/curl"] }), [
    "warning: namespace east/shop has mirrors, and pods without Linkerd's proxy, such as shop/curl, whose requests to a mirror fail: set linkerd.io/inject: enabled on the namespace and restart them, or linkerd.io/inject: disabled on pods that call no other cluster",
  ]);
  const why = "pods is forbidden";
  const skipped = `skipped: its pods can't be read: ${why}`;
  tells("is skipped where pods can't be read", clientsMeshed, beside(unread(why)), [skipped]);

  it("takes a sample of a cluster with many namespaces", async () => {
    const mirrors = Array.from({ length: 25 }, (_, index) =>
      service(`shop-${index}/web-west`, { labels: { [label.mirrored]: "true" } }),
    );
    const many = serverWith(cluster("east", { services: mirrors }));
    for (const { metadata } of mirrors)
      many.put("pods", { metadata: { name: "curl", namespace: metadata.namespace } });
    const need = { clusters: { east: { clients: true } }, links: [] };
    const { clusters } = await readMesh(mesh(), new SimulatedClusters({ east: many }), need);
    equal(valueIn(clusters.get("east")?.unmeshed)?.length, 20);
  });
});
