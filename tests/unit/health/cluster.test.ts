import { deepEqual, equal } from "node:assert/strict";
import { clusterReached } from "../../../engine/health/checks/all.ts";
import { clientsMeshed } from "../../../engine/health/checks/clients.ts";
import { linksServed } from "../../../engine/health/checks/link-resource.ts";
import { federatedInOrder } from "../../../engine/health/checks/mirrors.ts";
import { noOrphans } from "../../../engine/health/checks/orphans.ts";
import { readCluster } from "../../../engine/health/observe/cluster.ts";
import type { ListOptions } from "../../../engine/kubernetes/client/interface.ts";
import type { Resource } from "../../../engine/kubernetes/objects/resources.ts";
import { desiredFederated } from "../../../engine/mirroring/decide/mirrors/federated.ts";
import { settingsOf } from "../../../engine/mirroring/model/link.ts";
import { annotation, label } from "../../../engine/mirroring/model/vocabulary.ts";
import { federatedPart } from "../../../engine/mirroring/model/owner.ts";
import { link } from "../fixtures/link.ts";
import { MemoryCluster } from "../fixtures/memory-cluster.ts";
import { cluster, service } from "../fixtures/objects.ts";
import { planPart } from "../fixtures/reconcile.ts";
import { World } from "../fixtures/world.ts";
import type { ClusterFacts } from "../../../engine/health/view.ts";
import { clusterView, east, mesh, outOfReach, reading, said, west } from "./views.ts";

describe("health of a cluster: it can be read", () => {
  it("is in order", () => {
    deepEqual(said(clusterReached, clusterView()), []);
  });

  it("says why not", () => {
    deepEqual(said(clusterReached, clusterView({ reading: outOfReach })), [
      "fatal: cluster west can't be reached",
    ]);
  });
});

describe("health of a cluster: Links are served", () => {
  const withLinks = (links: Parameters<typeof reading>[1]) =>
    said(linksServed, clusterView({ reading: reading(east, links) }));

  it("is in order, with or without a Link", () => {
    deepEqual(withLinks({}), []);
    deepEqual(withLinks({ links: { value: [] } }), []);
  });

  it("says that they are not, or that they may not be listed", () => {
    deepEqual(withLinks({ links: { value: undefined } }), [
      "fatal: cluster east does not serve links.multicluster.linkerd.io in version v1alpha3: install the multicluster extension of Linkerd 2.18 or later there, or set manage: all",
    ]);
    deepEqual(withLinks({ links: { why: "cluster east does not let user me list links" } }), [
      "fatal: cluster east does not let user me list links",
    ]);
  });

  it("is skipped where there is nothing to ask", () => {
    deepEqual(said(linksServed, clusterView({ reading: outOfReach })), [
      "skipped: cluster east can't be read",
    ]);
    deepEqual(said(linksServed, clusterView({ cluster: "west" })), [
      "skipped: no link of the stack has this cluster as its source",
    ]);
    deepEqual(said(linksServed, clusterView({ mesh: mesh({ manage: "mirrors" }) })), [
      "skipped: this stack does not manage it (manage: mirrors)",
    ]);
  });
});

describe("health of a cluster: every mirror belongs to a link", () => {
  const orphans = (...services: ReturnType<typeof service>[]) =>
    said(
      noOrphans,
      clusterView({ reading: reading(cluster("east", { services })), federated: { why: "" } }),
    );
  const mirrorOf = (name: string, key: `${string}/${string}`, more = {}) =>
    service(key, { labels: { [label.mirrored]: "true", [label.cluster]: name, ...more } });

  it("is in order", () => {
    deepEqual(said(noOrphans, clusterView()), []);
    const probe = { [label.mirroredGateway]: "true" };
    deepEqual(orphans(mirrorOf("gone", "linkerd-multicluster/probe-gone", probe)), []);
  });

  it("names what belongs to a cluster to which no link leads, and how to be rid of it", () => {
    const services = [
      mirrorOf("gone", "shop/web-gone"),
      mirrorOf("gone", "shop/api-gone"),
      mirrorOf("west", "shop/web-west"),
    ];
    deepEqual(orphans(...services), [
      "warning: 2 mirrors of cluster gone, which no link of this stack targets from here: east/shop/web-gone, east/shop/api-gone; delete them with kubectl --context k3d-east delete services --all-namespaces -l mirror.linkerd.io/mirrored-service=true,mirror.linkerd.io/cluster-name=gone, unless another stack has such a link",
    ]);
  });

  it("passes over what goes at the end of this very run", () => {
    const reads = reading(cluster("east", { services: [mirrorOf("gone", "shop/web-gone")] }));
    const about = (source: string) =>
      clusterView({
        reading: reads,
        federated: { why: "" },
        mesh: mesh({ leaving: [{ source, target: "gone" }] }),
      });
    deepEqual(said(noOrphans, about("east")), []);
    equal(said(noOrphans, about("north")).length, 1);
  });

  it("names members of federated Services that Linkerd cannot find", () => {
    const annotations = { [annotation.remoteMembers]: "web@west,web@gone" };
    const federated = service("shop/web-federated", {
      labels: { [label.mirrored]: "true" },
      annotations,
    });
    deepEqual(orphans(federated), [
      "warning: federated Service east/shop/web-federated has the member web@gone, but no link of this stack targets cluster gone from here: remove it from the annotation, unless another stack has such a link",
    ]);
  });

  it("is skipped for a cluster out of reach", () => {
    deepEqual(said(noOrphans, clusterView({ reading: outOfReach })), [
      "skipped: cluster east can't be read",
    ]);
  });
});

describe("health of a cluster: federated Services", () => {
  it("are in order", () => {
    deepEqual(said(federatedInOrder, clusterView()), []);
  });

  it("names one that is missing", () => {
    const member = service("shop/api", { labels: { [label.federated]: "member" } });
    const target = cluster("west", { services: [member] });
    const source = cluster("east", { namespaces: ["shop"] });
    const links = [{ link: link(), target, created: undefined }];
    const wanted = desiredFederated({ source, links, retired: [] });
    const federated = { value: planPart(federatedPart, wanted, source, []).decisions };
    deepEqual(said(federatedInOrder, clusterView({ federated })), [
      "error: federated Service east/shop/api-federated is missing: run pulumi up",
    ]);
  });

  it("is skipped where no link feeds any, or a cluster cannot be read", () => {
    const view = clusterView({
      cluster: "west",
      mesh: mesh({ links: [{ link: settingsOf(link()), mirroring: "controller" }] }),
      reading: reading(west),
    });
    const { federated: _none, ...without } = view;
    deepEqual(said(federatedInOrder, without), [
      "skipped: this stack mirrors nothing into this cluster",
    ]);
    deepEqual(said(federatedInOrder, clusterView({ federated: { value: undefined } })), [
      "skipped: a cluster that it takes can't be read",
    ]);
  });
});

describe("health of a cluster: clients of mirrors have a proxy", () => {
  const found = (unmeshed: NonNullable<ClusterFacts["unmeshed"]>) =>
    said(clientsMeshed, clusterView({ reading: { ...reading(east), unmeshed } }));

  it("is in order where no pod beside mirrors is without", () => {
    deepEqual(found({ value: [] }), []);
  });

  it("is a warning for each namespace with such a pod", () => {
    deepEqual(found({ value: ["shop/curl"] }), [
      "warning: namespace east/shop has mirrors, and pods without Linkerd's proxy, such as shop/curl, whose requests to a mirror fail: set linkerd.io/inject: enabled on the namespace and restart them, or linkerd.io/inject: disabled on pods that call no other cluster",
    ]);
  });

  it("takes a sample of a cluster with many namespaces", async () => {
    const mirrors = Array.from({ length: 25 }, (_, index) =>
      service(`shop-${index}/web-west`, { labels: { [label.mirrored]: "true" } }),
    );
    const many = new Crowded(cluster("east", { services: mirrors }));
    const { unmeshed } = await readCluster(new World({ east: many }), mesh(), "east");
    deepEqual(unmeshed && "value" in unmeshed && unmeshed.value.length, 20);
  });

  it("is skipped where pods can't be read", () => {
    deepEqual(found({ why: "pods is forbidden" }), [
      "skipped: its pods can't be read: pods is forbidden",
    ]);
  });
});

/** Every namespace has more pods without a proxy than anybody reads. */
class Crowded extends MemoryCluster {
  override list<T>(resource: Resource<T>, options: ListOptions = {}): Promise<T[]> {
    const { namespace = "", first = Infinity } = options;
    if (resource.plural !== "pods") return super.list(resource);
    const pods = Array.from({ length: Math.min(first, 100) }, (_, index) => ({
      metadata: { name: `curl-${index}`, namespace },
    }));
    return Promise.resolve(pods as T[]);
  }
}
