import { deepEqual } from "node:assert/strict";
import { isSkip } from "../../../engine/model/decision.ts";
import { unique } from "../../../engine/trust/bundle.ts";
import type {
  HealthCheck,
  CheckedCluster,
  CheckedLink,
} from "../../../engine/health/health-check.ts";
import type { HealthMesh } from "../../../engine/health/health-mesh.ts";
import type { LinkResource } from "../../../engine/kubernetes/objects/link-resource.ts";
import { resultOfCheck, withFix } from "../../../engine/health/report.ts";
import type {
  ClusterReading,
  LinkerdReading,
  LinkReading,
  SecretReading,
  Trial,
} from "../../../engine/reading/reading.ts";
import type { Failure } from "../../../engine/base/result.ts";
import { type LinkSpec } from "../../../engine/model/link.ts";
import type { GatewayReading } from "../../../engine/model/gateway.ts";
import type { ClusterSnapshot } from "../../../engine/model/snapshot.ts";
import { known, link } from "../fixtures/link.ts";
import { cluster, endpoints, exported, pods } from "../fixtures/objects.ts";
import { planned, reconciled } from "../fixtures/reconcile.ts";
import { type Authority, authority, issuerUnder, now } from "../trust/certificates.ts";

/** A healthy mesh has a link by which shop/web of `west` appears in `east`. */

export const root = authority();
export const issuers = { west: issuerUnder(root), east: issuerUnder(root) };

export const west = cluster("west", {
  services: [exported("shop/web")],
  endpoints: [endpoints("shop/web", [pods([""])])],
});
export const east = await reconciled({
  target: west,
  source: cluster("east", { namespaces: ["shop"] }),
});

export function mesh(overrides: Partial<HealthMesh> = {}): HealthMesh {
  return {
    manage: "all",
    linkerdNamespace: "linkerd",
    multiclusterNamespace: "linkerd-multicluster",
    clusters: { west: { context: "k3d-west" }, east: { context: "k3d-east" } },
    links: [{ link: link(), mirroring: "pulumi" }],
    ...overrides,
  };
}

export const linkObject: LinkResource = {
  metadata: { name: "west", namespace: "linkerd-multicluster" },
  spec: {
    targetClusterName: "west",
    targetClusterDomain: "cluster.local",
    targetClusterLinkerdNamespace: "linkerd",
    clusterCredentialsSecret: "cluster-credentials-west",
    gatewayAddress: "192.0.2.10",
    gatewayPort: "4143",
    gatewayIdentity: "gateway.west",
  },
};

const domains = { clusterDomain: "cluster.local", trustDomain: "trust.example" };

export function trusting(anchors: readonly Authority[], issuer: Authority) {
  return {
    anchors: { value: unique(anchors.map(({ certificate }) => certificate)) },
    issuer: { value: [issuer.certificate] },
  };
}

export function reading(snapshot: ClusterSnapshot, overrides: Partial<LinkerdReading> = {}) {
  const issuer = snapshot.cluster === "west" ? issuers.west : issuers.east;
  const linkerd: LinkerdReading = {
    links: { value: [linkObject] },
    config: { value: { domains, version: undefined } },
    podsBehind: { value: [] },
    ...trusting([root], issuer),
    ...overrides,
  };
  const none = { value: [] };
  return { snapshot: { value: snapshot }, linkerd, controllers: none, unmeshed: none };
}

export function unread(why: string): Failure {
  return { why, cause: "unreachable" };
}

export const outOfReach: ClusterReading = { snapshot: unread("cluster west can't be reached") };

export function clusterView(overrides: Partial<CheckedCluster> = {}): CheckedCluster {
  const { decisions } = planned({ target: west, source: east });
  const federated = { value: decisions.filter((each) => !isSkip(each)) };
  return { mesh: mesh(), cluster: "east", now, reading: reading(east), federated, ...overrides };
}

export const taken: Extract<Trial, { readonly outcome: "accepted" }> = {
  outcome: "accepted",
  server: "https://west.example.com",
  denied: [],
};

export function secret(
  kind: "mirror" | "destination",
  overrides: Partial<SecretReading> = {},
): SecretReading {
  const found = {
    mirror: { labels: {}, annotations: {} },
    destination: {
      labels: { "multicluster.linkerd.io/cluster-name": "west" },
      annotations: {
        "multicluster.linkerd.io/trust-domain": "trust.example",
        "multicluster.linkerd.io/cluster-domain": "cluster.local",
      },
    },
  };
  const type = "mirror.linkerd.io/remote-kubeconfig";
  return { type, ...found[kind], trial: taken, ...overrides };
}

/** Returns the reading of the link from east to west, by default with its gateway. */
export function linkReading(
  overrides: Partial<LinkReading> = {},
  gateway: GatewayReading = known(),
): LinkReading {
  const credentials = {
    mirror: { value: secret("mirror") },
    destination: { value: secret("destination") },
  };
  const target = { value: { snapshot: west, gateway, gatewayPending: false, statefulSets: [] } };
  return { link: link(), target, credentials, ...overrides };
}

type LinkOverrides = Partial<Omit<CheckedLink, "link">> & { readonly link?: Partial<LinkSpec> };

export function linkView({ link: spec, ...overrides }: LinkOverrides = {}): CheckedLink {
  return {
    mesh: mesh(),
    mirroring: "pulumi",
    now,
    source: reading(east),
    target: reading(west),
    reading: linkReading(),
    mirrors: { value: planned({ target: west, source: east }).decisions },
    ...overrides,
    link: link(spec),
  };
}

/** Returns a function that defines a test of the lines that a check reports about a view. */
export function tellsOf<View extends { readonly mesh: HealthMesh }>(check: HealthCheck<View>) {
  return (name: string, view: View, lines: readonly string[] = []): void => {
    it(name, () => {
      deepEqual(said(check, view), lines);
    });
  };
}

/** Returns what a check reports about a view: `error: ...` for each finding, or `skipped: ...`. */
export function said<View extends { readonly mesh: HealthMesh }>(
  check: HealthCheck<View>,
  view: View,
): string[] {
  const { why, findings } = resultOfCheck(check, view);
  if (why !== undefined) return [`skipped: ${why}`];
  return findings.map((finding) => `${finding.severity}: ${withFix(finding)}`);
}
