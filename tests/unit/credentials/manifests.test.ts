import assert from "node:assert/strict";
import { programVersion } from "../../../engine/version.ts";
import { linkManifestSpec, linkMetadata } from "../../../engine/credentials/link-manifest.ts";
import { credentialsSecrets } from "../../../engine/credentials/objects.ts";
import type { TargetFacts } from "../../../engine/credentials/state.ts";
import { othersKeys } from "../../../engine/mirroring/model/metadata.ts";
import { link } from "../fixtures/link.ts";

const namespaces = { linkerd: "linkerd", multicluster: "linkerd-multicluster" };
const facts: TargetFacts = {
  server: "https://west.example.com",
  trustDomain: "trust.example",
  clusterDomain: "west.example",
  token: "linkerd-multicluster-access-east-token-2-3",
  gateway: {
    addresses: ["192.0.2.7", "gateway.west.example.com"],
    port: 4143,
    identity: "linkerd-gateway.linkerd-multicluster.serviceaccount.identity.linkerd.cluster.local",
    probe: { path: "/ready", port: 4191, period: "3s" },
  },
};
const { gateway, ...flatFacts } = facts;
/** So that Linkerd's controller leaves it behind too. */
const others = Object.keys(othersKeys);

describe("a Link resource", () => {
  it("has every field of a link with a gateway", () => {
    const expressions = {
      matchExpressions: [{ key: "tier", operator: "In", values: ["a", "b"] }],
    } as const;
    const exists = {
      matchLabels: {},
      matchExpressions: [{ key: "fed", operator: "Exists" }],
    } as const;
    const spec = link({
      remoteDiscoverySelector: expressions,
      federatedServiceSelector: exists,
      excludedLabels: ["a.example/*"],
      excludedAnnotations: ["b"],
    });
    assert.deepEqual(linkMetadata("west", namespaces), {
      name: "west",
      namespace: "linkerd-multicluster",
      annotations: { "linkerd.io/created-by": programVersion },
    });
    assert.deepEqual(linkManifestSpec(spec, facts, namespaces, "pulumi"), {
      targetClusterName: "west",
      targetClusterDomain: "west.example",
      targetClusterLinkerdNamespace: "linkerd",
      clusterCredentialsSecret: "cluster-credentials-west",
      gatewayAddress: "192.0.2.7,gateway.west.example.com",
      gatewayPort: "4143",
      gatewayIdentity: facts.gateway?.identity,
      probeSpec: { path: "/ready", port: "4191", period: "3s" },
      selector: { matchLabels: { "mirror.linkerd.io/exported": "true" } },
      remoteDiscoverySelector: expressions,
      federatedServiceSelector: exists,
      excludedLabels: [...others, "a.example/*"],
      excludedAnnotations: [...others, "b"],
    });
  });

  it("leaves out of the others' metadata whatever the link copies a part of", () => {
    const excluded = (copiedMetadata: string[]) =>
      linkManifestSpec(link({ copiedMetadata }), facts, namespaces, "pulumi").excludedLabels;
    const without = (...keys: string[]) => others.filter((key) => !keys.includes(key));
    assert.deepEqual(excluded(["prometheus.io/scrape"]), without("prometheus.io/*"));
    assert.deepEqual(excluded(["prometheus.io/*"]), without("prometheus.io/*"));
    assert.deepEqual(
      excluded(["app.kubernetes.io/*"]),
      without("app.kubernetes.io/instance", "app.kubernetes.io/managed-by"),
    );
  });

  it("has neither gateway, probe nor selector on a flat network", () => {
    const spec = link({ gateway: false, selector: {}, federatedServiceSelector: {} });
    assert.deepEqual(linkManifestSpec(spec, flatFacts, namespaces, "pulumi"), {
      targetClusterName: "west",
      targetClusterDomain: "west.example",
      targetClusterLinkerdNamespace: "linkerd",
      clusterCredentialsSecret: "cluster-credentials-west",
      remoteDiscoverySelector: {
        matchLabels: { "mirror.linkerd.io/exported": "remote-discovery" },
      },
      federatedServiceSelector: {},
      excludedLabels: others,
      excludedAnnotations: others,
    });
  });

  it("has no probe where the gateway Service offers none", () => {
    const { probe, ...unprobed } = { ...gateway, addresses: ["192.0.2.7"], port: 1, identity: "i" };
    const spec = linkManifestSpec(link(), { ...facts, gateway: unprobed }, namespaces, "pulumi");
    assert.equal("probeSpec" in spec, false);
  });

  it("changes with the credentials where Linkerd's controller has to read them again", () => {
    const excluded = (token: string) =>
      linkManifestSpec(
        link({ excludedAnnotations: ["b"] }),
        { ...facts, token },
        namespaces,
        "controller",
      ).excludedAnnotations;
    assert.deepEqual(excluded("linkerd-multicluster-access-east-token-2-3"), [
      ...others,
      "b",
      "linkerd-multicluster/credentials-2-3",
    ]);
    assert.deepEqual(excluded("linkerd-multicluster-access-east-token-3-1"), [
      ...others,
      "b",
      "linkerd-multicluster/credentials-3-1",
    ]);
  });
});

describe("a link's credentials Secrets", () => {
  it("have the labels, annotations and type by which their readers find them", () => {
    const type = "mirror.linkerd.io/remote-kubeconfig";
    const name = "cluster-credentials-west";
    assert.deepEqual(credentialsSecrets("west", facts, namespaces), {
      mirror: { metadata: { name, namespace: "linkerd-multicluster" }, type },
      destination: {
        metadata: {
          name,
          namespace: "linkerd",
          labels: { "multicluster.linkerd.io/cluster-name": "west" },
          annotations: {
            "multicluster.linkerd.io/trust-domain": "trust.example",
            "multicluster.linkerd.io/cluster-domain": "west.example",
          },
        },
        type,
      },
    });
  });
});
