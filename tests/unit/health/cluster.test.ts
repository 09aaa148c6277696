import { deepEqual, equal } from "node:assert/strict";
import { clusterReached, linksServed } from "../../../engine/health/checks/cluster.ts";
import { federatedInOrder } from "../../../engine/health/checks/mirrors.ts";
import { noOrphans } from "../../../engine/health/checks/orphans.ts";
import { desiredFederated } from "../../../engine/mirroring/desired/federated.ts";
import { settingsOf } from "../../../engine/mirroring/model/link-settings.ts";
import { annotation, label } from "../../../engine/mirroring/model/vocabulary.ts";
import { federatedPart } from "../../../engine/mirroring/model/owner.ts";
import { link } from "../fixtures/link.ts";
import { cluster, service } from "../fixtures/objects.ts";
import { planPart } from "../fixtures/reconcile.ts";
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
      "fatal: cluster east does not serve links.multicluster.linkerd.io in version v1alpha3: install the multicluster extension of Linkerd 2.18 or later there, or let manage: all do so",
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
      "skipped: with manage: mirrors this stack has no say in it",
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
      "warning: 2 mirrors of cluster gone, to which no link of this stack leads: east/shop/web-gone, east/shop/api-gone; delete them with kubectl --context k3d-east delete services --all-namespaces -l mirror.linkerd.io/mirrored-service=true,mirror.linkerd.io/cluster-name=gone, unless another stack links it",
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
      "warning: federated Service east/shop/web-federated has the member web@gone, but no link of this stack leads to cluster gone: take it out of the annotation, unless another stack links it",
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
    const federated = { value: planPart(federatedPart, wanted, source, []) };
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
      "skipped: no link of which this stack makes the mirrors leads into this cluster",
    ]);
    deepEqual(said(federatedInOrder, clusterView({ federated: { value: undefined } })), [
      "skipped: a cluster that it takes can't be read",
    ]);
  });
});
