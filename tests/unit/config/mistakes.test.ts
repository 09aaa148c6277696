import { deepEqual } from "node:assert/strict";
import { mistakesIn, testSentences } from "./table.ts";

const defaultsKeys =
  "gateway, headless, selector, remoteDiscoverySelector, federatedServiceSelector, names, formerNames, mirrorNamespaces, namespaces, excludedNamespaces, excludedLabels, excludedAnnotations, copiedMetadata, createNamespaces, readiness, gatewayProbe, prober, maxDeletions, allowDeletions, maxMirrors, mirroring, credentialsGeneration, credentialsMaxAge, unreachable, adopt, adoptFrom";
const linkKeys = `source, target, revoked, ${defaultsKeys}`;
const clusterKeys =
  "context, kubeconfig, clusterDomain, trustDomain, apiServer, gateway, privateUnlessListed, gatewayAccess, gatewayClients, values, uid, failover, traffic, drained, serviceLinksDisabled, revoked, adopt, ha, gatewayApi";
const clusterName =
  'a DNS label of at most 57 characters (lower-case letters, digits and "-", with a letter or digit at both ends) other than "federated" and "constructor", because it becomes the suffix of every mirror\'s name, <service>-<cluster>';
const label63 =
  'at most 63 lower-case letters, digits and "-", with a letter or digit at both ends';
const address = "an IP address or a DNS hostname, without a port";
const port = "a whole number from 1 to 65535";
const excluded = "a literal key, such as example.com/team, or a whole group, such as example.com/*";
const copied =
  "a literal key, such as example.com/team, or a whole group, such as example.com/*, or * for all but those of other controllers; a few groups are never copied (docs/reference/metadata.md)";
const deletions = 'a whole number of at least 0, without quotes, or a share from "0%" to "100%"';
const pattern = "the name of a namespace, or a prefix followed by *, such as team-*";
const apiServer = "an https URL without credentials, such as https://west.example.com:6443";

describe("stack config: mistakes in the top-level keys", () => {
  testSentences(`
# empty keys count as left out
{ links: , topology: , linkDefaults: }

# an unknown key close to a known one
toplogy: mesh
! toplogy is not a key of this program's config; the nearest key is topology.

# an unknown key like no other
prometheus: {}
! prometheus is not a key of this program's config; the keys are clusters, links, manage, topology, leaving, trustKeysExported, linkDefaults, linkerdCheck, linkerdNamespace, multiclusterNamespace, trustDomain, trust, charts, mesh, sources.

manage: everything
! manage is "everything"; it must be all, links, mirrors or trust.

clusters: [west]
! clusters is a list; it must be a map of clusters by name.

clusters: {}
! clusters names no cluster; it must name at least one.

links: { a: {} }
! links is a map; it must be a list of links.

topology: ring
! topology is "ring"; it must be none, mesh, {hub: <cluster>} or {regions: {<region>: [<cluster>, ...]}}.

topology: { hubb: west }
! topology.hubb is not a key of a topology; the nearest key is hub.

{ linkerdNamespace: Linkerd, multiclusterNamespace: 5 }
! linkerdNamespace is "Linkerd"; it must be the name of a namespace: ${label63}.
! multiclusterNamespace is 5; it must be the name of a namespace: ${label63}, in quotes.

# source and target in linkDefaults
linkDefaults: { source: west, headles: true }
! linkDefaults.source is not a key of linkDefaults; the keys are ${defaultsKeys}.
! linkDefaults.headles is not a key of linkDefaults; the nearest key is headless.
`);

  it("reports a config that is no map", () => {
    deepEqual(mistakesIn([]), [
      "linkerd-multicluster is an empty list; it must be a map of clusters, links, manage, topology, leaving, trustKeysExported, linkDefaults, linkerdCheck, linkerdNamespace, multiclusterNamespace, trustDomain, trust, charts, mesh, sources.",
    ]);
  });
});

describe("stack config: mistakes in a cluster", () => {
  testSentences(String.raw`
# 57 characters are fine
clusters: { ${"w".repeat(57)}: }

# 58 characters
clusters: { ${"w".repeat(58)}: }
! clusters.${"w".repeat(58)} has the name "${"w".repeat(58)}"; it must be ${clusterName}.

clusters: { West.1: }
! clusters["West.1"] has the name "West.1"; it must be ${clusterName}.

# a name taken by federated Services
clusters: { federated: }
! clusters.federated has the name "federated"; it must be ${clusterName}.

clusters: { west: k3d-west }
! clusters.west is "k3d-west"; it must be a map of ${clusterKeys}.

clusters: { west: { context: 5 } }
! clusters.west.context is 5; it must be the name of a kubeconfig context, in quotes.

# a kubeconfig's content is never repeated
clusters: { west: { kubeconfig: "users:\n- token: hunter2\n" } }
! clusters.west.kubeconfig is a string of 24 characters; it must be the path of a kubeconfig file, never its content.

clusters: { west: { clusterDomain: cluster.local. } }
! clusters.west.clusterDomain is "cluster.local."; it must be a DNS name in lower case, such as cluster.local.

# a gateway that is neither false nor a map
clusters: { west: { gateway: true } }
! clusters.west.gateway is true; it must be false, without quotes, or a map of name, namespace, addresses, allowedAddresses, port, identity, enabled.

# values of an unknown chart
clusters: { west: { values: { linkerd-multiclust: {}, replicas: 2 } } }
! clusters.west.values.linkerd-multiclust is not a key of a cluster's values; the nearest key is linkerd-multicluster.
! clusters.west.values.replicas is not a key of a cluster's values; the keys are linkerd-crds, linkerd-control-plane, linkerd-multicluster.

# values are never repeated
clusters: { west: { values: { linkerd-control-plane: "key: hunter2" } } }
! clusters.west.values.linkerd-control-plane is a string of 12 characters; it must be a map of Helm values.
`);

  for (const [url, quote] of [
    ["http://west:6443", "http://west:6443"],
    ["https://me:hunter2@west:6443", "https://…@west:6443"],
    ["me:hunter2@west", "me:…@west"],
    ["https://west/?token=hunter2", "https://west/?…"],
    ["https://west/#hunter2", "https://west/#…"],
  ])
    testSentences(`
# a URL without https, or with credentials, which are never repeated: ${url}
clusters: { west: { apiServer: "${url}" } }
! clusters.west.apiServer is "${quote}"; it must be ${apiServer}.
`);
});

describe("stack config: mistakes in a link", () => {
  const chars = 'lower-case letters, digits and "-", with a letter or digit at both ends';
  const template = `a name with {service} once, and {target} if it should have the target's name: otherwise ${chars}, such as "{service}-{target}"`;
  const namespaceTemplate = `the name of a namespace, in which {namespace} stands for the Service's own: at most 63 ${chars}`;
  testSentences(`
links: [west]
! links[0] is "west"; it must be a map of ${linkKeys}.

# a link without source and target
links: [{}]
! links[0].source is missing; it must be one of the configured clusters, "west", "east".
! links[0].target is missing; it must be one of the configured clusters, "west", "east".

# flags in quotes
link: { headless: "true", createNamespaces: "yes", allowDeletions: 1 }
! links[0].headless is "true"; it must be true or false, without quotes.
! links[0].createNamespaces is "yes"; it must be true or false.
! links[0].allowDeletions is 1; it must be true or false.

# an empty key of a link
link: { headless: }
! links[0].headless is empty; it must be true or false.

# values of keys with a choice
link: { readiness: "true", mirroring: linkerd, unreachable: false }
! links[0].readiness is "true"; it must be ignore or follow.
! links[0].mirroring is "linkerd"; it must be pulumi or controller.
! links[0].unreachable is false; it must be keep or fail.

link: { names: "{target}", mirrorNamespaces: { shop: "{service}" } }
! links[0].names is "{target}"; it must be ${template}.
! links[0].mirrorNamespaces.shop is "{service}"; it must be ${namespaceTemplate}.

link: { names: "{service}-{service}" }
! links[0].names is "{service}-{service}"; it must be ${template}.

link: { names: "{service}.{target}" }
! links[0].names is "{service}.{target}"; it must be ${template}.

link: { gateway: { port: "4143" } }
! links[0].gateway.port is "4143"; it must be ${port}, without quotes.

link: { gateway: { port: 0 } }
! links[0].gateway.port is 0; it must be ${port}.

link: { gateway: { port: 65536 } }
! links[0].gateway.port is 65536; it must be ${port}.

link: { gateway: { port: 80.5 } }
! links[0].gateway.port is 80.5; it must be ${port}.

link: { gateway: { addresses: "192.0.2.1,192.0.2.2" } }
! links[0].gateway.addresses is "192.0.2.1,192.0.2.2"; it must be a list of at least one IP address or DNS hostname.

link: { gateway: { addresses: [] } }
! links[0].gateway.addresses is an empty list; it must be a list of at least one IP address or DNS hostname.

link: { gateway: { addresses: [192.0.2.300, "gw.example.com:4143", "2001:db8::1"] } }
! links[0].gateway.addresses[0] is "192.0.2.300"; it must be ${address}.
! links[0].gateway.addresses[1] is "gw.example.com:4143"; it must be ${address}.

# other keys of a gateway
link: { gateway: { name: Gateway, namespace: a.b, identity: "", prot: 1 } }
! links[0].gateway.name is "Gateway"; it must be the name of a Service: ${label63}.
! links[0].gateway.namespace is "a.b"; it must be the name of a namespace: ${label63}.
! links[0].gateway.identity is ""; it must be the TLS identity of the gateway, a DNS name.
! links[0].gateway.prot is not a key of a gateway; the nearest key is port.

# excluded keys and groups are fine
link: { excludedLabels: [a/*, team], excludedAnnotations: [Example.com/a] }

# other patterns of excluded keys
link: { excludedLabels: ["*", "team*", "*/team", "a/b/*"], excludedAnnotations: a }
! links[0].excludedLabels[0] is "*"; it must be ${excluded}.
! links[0].excludedLabels[1] is "team*"; it must be ${excluded}.
! links[0].excludedLabels[2] is "*/team"; it must be ${excluded}.
! links[0].excludedLabels[3] is "a/b/*"; it must be ${excluded}.
! links[0].excludedAnnotations is "a"; it must be a list of keys and group/* entries.

# metadata that is copied
link: { copiedMetadata: ["ev*", a/b/*, mirror.linkerd.io/*, endpointslice.kubernetes.io/skip-mirror] }
! links[0].copiedMetadata[0] is "ev*"; it must be ${copied}.
! links[0].copiedMetadata[1] is "a/b/*"; it must be ${copied}.
! links[0].copiedMetadata[2] is "mirror.linkerd.io/*"; it must be ${copied}.
! links[0].copiedMetadata[3] is "endpointslice.kubernetes.io/skip-mirror"; it must be ${copied}.

# copiedMetadata by key, by group and as a whole is fine
link: { copiedMetadata: [team, prometheus.io/scrape, Example.com/x, app.kubernetes.io/*, "*"] }

# values that are nearly right
link: { gateway: { addresses: [a.1, A.example, 1a.example, "123"] }, mirrorNamespaces: { "*": a, B: b }, copiedMetadata: [a/*b] }
clusters: { west: , east: { failover: { shop/web/x: [local], Shop/web: [local], shop/Web: [local] } } }
charts: { source: "xhttps://a.example", digests: { linkerd-crds: "xsha256:${"a".repeat(64)}", linkerd-control-plane: "sha256:${"a".repeat(65)}", linkerd-multicluster: "sha256:${"a".repeat(64)}" } }
trust: { anchors: " " }
! trust.anchors is a string of 1 characters; it must be PEM of trust anchors.
! charts.source is "xhttps://a.example"; it must be the https URL of a Helm repository, an oci:// address, or the path of a local folder, without credentials.
! charts.digests.linkerd-crds is "xsha256:${"a".repeat(52)}…"; it must be sha256: and 64 hexadecimal digits in lower case.
! charts.digests.linkerd-control-plane is "sha256:${"a".repeat(53)}…"; it must be sha256: and 64 hexadecimal digits in lower case.
! clusters.east.failover["shop/web/x"] has the key "shop/web/x"; it must be namespace/name of a Service.
! clusters.east.failover["Shop/web"] has the key "Shop/web"; it must be namespace/name of a Service.
! clusters.east.failover["shop/Web"] has the key "shop/Web"; it must be namespace/name of a Service.
! links[0].gateway.addresses[0] is "a.1"; it must be an IP address or a DNS hostname, without a port.
! links[0].gateway.addresses[3] is "123"; it must be an IP address or a DNS hostname, without a port.
! links[0].mirrorNamespaces.B has the key "B"; it must be the name of a namespace, or * for all others.
! links[0].copiedMetadata[0] is "a/*b"; it must be ${copied}.

# other patterns of namespaces
link: { namespaces: [], excludedNamespaces: [-*, "*-system", A, a*b] }
! links[0].namespaces is an empty list; it must be a list of at least one namespace.
! links[0].excludedNamespaces[0] is "-*"; it must be ${pattern}.
! links[0].excludedNamespaces[1] is "*-system"; it must be ${pattern}.
! links[0].excludedNamespaces[2] is "A"; it must be ${pattern}.
! links[0].excludedNamespaces[3] is "a*b"; it must be ${pattern}.
`);

  for (const value of [
    "-1",
    "1.5",
    '"10"',
    '"101%"',
    '"050%"',
    '"1.5%"',
    '"-1%"',
    '"50%0"',
    "true",
  ])
    testSentences(`
link: { maxDeletions: ${value} }
! links[0].maxDeletions is ${value}; it must be ${deletions}.
`);
  for (const value of ["0", "7", "0%", "50%", "100%"])
    testSentences(`link: { maxDeletions: ${value} }`);
});
