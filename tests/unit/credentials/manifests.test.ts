import assert from "node:assert/strict";
import { programVersion } from "../../../engine/base/version.ts";
import { linkManifestSpec, linkMetadata } from "../../../engine/credentials/objects.ts";
import type { LinkGateway, TargetFacts } from "../../../engine/credentials/state.ts";
import { othersKeys } from "../../../engine/model/metadata.ts";
import { link } from "../fixtures/link.ts";

const namespaces = { linkerd: "linkerd", multicluster: "linkerd-multicluster" };
const gateway: LinkGateway = {
  addresses: ["192.0.2.7", "gateway.west.example.com"],
  port: 4143,
  identity: "linkerd-gateway.linkerd-multicluster.serviceaccount.identity.linkerd.cluster.local",
  probe: { path: "/ready", port: 4191, period: "3s" },
};
const facts: TargetFacts = {
  server: "https://west.example.com",
  trustDomain: "trust.example",
  clusterDomain: "west.example",
  token: "linkerd-multicluster-access-east-token-2-3",
  gateway,
};
/** Linkerd's controller leaves them behind too. */
const others = Object.keys(othersKeys);

const prober = "mesh-watch:1";

describe("a Link resource", () => {
  const manifest = (
    spec: Parameters<typeof link>[0],
    more: Partial<TargetFacts> = {},
    mirroring: "pulumi" | "controller" = "pulumi",
  ) => linkManifestSpec(link(spec), { ...facts, ...more }, namespaces, mirroring);

  it("has the name of its target", () => {
    assert.deepEqual(linkMetadata("west", namespaces, "acme/mesh/dev east/west"), {
      name: "west",
      namespace: "linkerd-multicluster",
      annotations: {
        "linkerd.io/created-by": programVersion,
        "linkerd-multicluster/link": "acme/mesh/dev east/west",
      },
    });
  });

  const basics = {
    targetClusterName: "west",
    targetClusterDomain: "west.example",
    targetClusterLinkerdNamespace: "linkerd",
    clusterCredentialsSecret: "cluster-credentials-west",
  };

  it("has every field of a link with a gateway", () => {
    const selectors = {
      remoteDiscoverySelector: {
        matchExpressions: [{ key: "tier", operator: "In", values: ["a", "b"] }],
      },
      federatedServiceSelector: {
        matchLabels: {},
        matchExpressions: [{ key: "fed", operator: "Exists" }],
      },
    } as const;
    const excluded = { excludedLabels: ["a.example/*"], excludedAnnotations: ["b"] };
    assert.deepEqual(manifest({ ...selectors, ...excluded, prober }), {
      ...basics,
      gatewayAddress: "192.0.2.7,gateway.west.example.com",
      gatewayPort: "4143",
      gatewayIdentity: gateway.identity,
      probeSpec: { path: "/ready", port: "4191", period: "3s" },
      selector: { matchLabels: { "mirror.linkerd.io/exported": "true" } },
      ...selectors,
      excludedLabels: [...others, "a.example/*"],
      excludedAnnotations: [...others, "b"],
    });
  });

  it("excludes no group of metadata of which the link copies a part", () => {
    const left = (copied: string) => {
      const { excludedLabels } = manifest({ copiedMetadata: [copied] });
      return others.filter((key) => !excludedLabels.includes(key));
    };
    assert.deepEqual(left("prometheus.io/scrape"), ["prometheus.io/*"]);
    assert.deepEqual(left("prometheus.io/*"), ["prometheus.io/*"]);
    assert.deepEqual(left("app.kubernetes.io/*"), [
      "app.kubernetes.io/instance",
      "app.kubernetes.io/managed-by",
    ]);
  });

  it("has neither gateway, probe nor selector on a flat network", () => {
    const { gateway: _none, ...flatFacts } = facts;
    const spec = link({ gateway: false, selector: {}, federatedServiceSelector: {} });
    assert.deepEqual(linkManifestSpec(spec, flatFacts, namespaces, "pulumi"), {
      ...basics,
      remoteDiscoverySelector: {
        matchLabels: { "mirror.linkerd.io/exported": "remote-discovery" },
      },
      federatedServiceSelector: {},
      excludedLabels: others,
      excludedAnnotations: others,
    });
  });

  it("has no probe if the gateway Service defines none, or if nobody probes", () => {
    const { probe: _none, ...unprobed } = gateway;
    assert.equal("probeSpec" in manifest({ prober }, { gateway: unprobed }), false);
    assert.equal("probeSpec" in manifest({}), false);
    assert.equal("probeSpec" in manifest({}, {}, "controller"), true);
  });

  it("changes with the credentials only if Linkerd's controller mirrors the link", () => {
    for (const number of ["2-3", "3-1"]) {
      const token = `linkerd-multicluster-access-east-token-${number}`;
      const { excludedAnnotations } = manifest({}, { token }, "controller");
      const mark = `linkerd-multicluster/credentials-${number}`;
      assert.deepEqual(excludedAnnotations, [...others, mark]);
    }
  });
});
