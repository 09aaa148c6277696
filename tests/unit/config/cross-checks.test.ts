import { testSentences } from "./table.ts";

const known = 'it must be one of the configured clusters, "west", "east".';

describe("stack config: contradictions between keys", () => {
  testSentences(`
# one namespace for both charts
multiclusterNamespace: linkerd
! multiclusterNamespace is "linkerd"; it must be another namespace than linkerdNamespace.

# unknown clusters
links: [{ source: est, target: north }]
topology: { hub: hub }
! topology.hub is "hub"; ${known}
! links[0].source is "est"; ${known}
! links[0].target is "north"; ${known}

# a link to itself
link: { target: east }
! links[0].target is "east", the link's source; it must be another cluster.

# a pair listed twice
links:
  - { source: east, target: west }
  - { source: west, target: east }
  - { source: east, target: west, headless: true }
! links[2] links source "east" to target "west" again, after links[0]; each pair must be listed once: with selector and remoteDiscoverySelector, one link mirrors some Services through the gateway and others pod to pod.

# failover to a cluster without a link, to one twice, and to no other
links: [{ source: east, target: west }]
clusters:
  west: {}
  north: {}
  east:
    failover:
      shop/web: [local, west, north, west]
      shop/own: [local]
! clusters.east.failover["shop/web"][2] is "north"; it must be local, or the target of a link of east that this program mirrors.
! clusters.east.failover["shop/web"][3] is "west" again; a cluster is listed once.
! clusters.east.failover["shop/own"] names no other cluster; it must be a list with one.

# traffic to clusters without a link, to no other one, without weight, and beside failover
links: [{ source: east, target: west }]
clusters:
  west: {}
  east:
    failover: { shop/twice: [local, west] }
    traffic:
      shop/web: { local: 1, west: 1, north: 1 }
      shop/own: { local: 1 }
      shop/none: { local: 0, west: 0 }
      shop/twice: { local: 1, west: 1 }
! clusters.east.traffic["shop/web"].north is no such cluster; it must be local, or the target of a link of east that this program mirrors.
! clusters.east.traffic["shop/own"] names no other cluster; it must be a map with one.
! clusters.east.traffic["shop/none"] has no weight above 0; it must be a map with one.
! clusters.east.traffic["shop/twice"] is set, and so is clusters.east.failover["shop/twice"]; it must be left out of one.

# a drained cluster whose federated members are those of Linkerd's controller
link: { mirroring: controller }
clusters: { west: { drained: true }, east: }
! clusters.west.drained is true, but mirroring of link east → west is "controller"; it must be false, as Linkerd's controller sends requests to the cluster without asking.

# failover to mirrors of Linkerd's controller
link: { mirroring: controller }
clusters: { west: , east: { failover: { shop/web: [local, west] } } }
! clusters.east.failover["shop/web"][1] is "west"; it must be local, or the target of a link of east that this program mirrors.

# regions with unknown, repeated and missing clusters
topology: { regions: { eu: [west, wast], us: [west] } }
! topology.regions.eu[1] is "wast"; ${known}
! topology.regions.us[0] is "west" again, after topology.regions.eu[0]; each cluster must be in one region.
! topology.regions lacks "east"; every cluster must be in a region.

# regions and a hub
topology: { regions: { eu: [west, east] }, hub: west }
! topology is a map; it must be none, mesh, {hub: <cluster>} or {regions: {<region>: [<cluster>, ...]}}.

# a revoked cluster needs no region
clusters: { west: , east: , north: { revoked: true } }
topology: { regions: { eu: [west, east] } }

# keeping what leaves a stack of trust
manage: trust
leaving: { north: keep, south: delete }
! leaving.north is "keep"; it must be "delete" where manage is "trust": to keep it, set "mirrors" there for a run first.

# mirrorNamespaces on a flat network
link: { gateway: false, mirrorNamespaces: { a: b } }
! links[0].mirrorNamespaces is set, but links[0].gateway is false; it must be left out, as Linkerd discovers pods only for a mirror in the Service's own namespace.

# headless mirrors within a region
link: { headless: true }
topology: { regions: { eu: [west, east] } }
! links[0].headless is true, but source and target are in one region; it must be false, as headless mirrors need a gateway.

# the same cluster twice
clusters: { west: { context: a }, a: }
! clusters.a is the same cluster as clusters.west, context "a" of the same kubeconfig; each cluster must be listed once.

# the same cluster by its UID
clusters: { west: { uid: u1 }, a: { uid: u1 } }
! clusters.a is the same cluster as clusters.west, uid "u1"; each cluster must be listed once.

# one context name in two kubeconfigs is fine
clusters: { west: { context: a, kubeconfig: w }, east: { context: a, kubeconfig: e } }
`);
});

describe("stack config: manage: mirrors provisions no controller", () => {
  const rule = 'it must be pulumi where manage is "mirrors", which provisions no controller.';
  testSentences(`
manage: mirrors
link: { mirroring: controller }
! links[0].mirroring is "controller"; ${rule}

{ manage: mirrors, linkDefaults: { mirroring: controller } }
! linkDefaults.mirroring is "controller"; ${rule}
`);
});

describe("stack config: a cluster that is private unless listed", () => {
  testSentences(`
clusters: { west: { privateUnlessListed: true }, east: }
link: { mirroring: controller }
! clusters.west.privateUnlessListed is true, but mirroring of link east → west is "controller"; it must be false, as Linkerd's controller doesn't know which clusters a Service lists.

# mirroring: controller in linkDefaults
clusters: { west: { privateUnlessListed: true }, east: }
topology: mesh
linkDefaults: { mirroring: controller }
! clusters.west.privateUnlessListed is true, but mirroring of link east → west is "controller"; it must be false, as Linkerd's controller doesn't know which clusters a Service lists.

# a controller for another target is fine
clusters: { west: { privateUnlessListed: true }, east: }
links: [{ source: east, target: west, mirroring: pulumi }, { source: west, target: east }]
linkDefaults: { mirroring: controller }
`);
});

describe("stack config: settings that Linkerd's controller doesn't have", () => {
  const wrong =
    'is set, but mirroring is "controller"; it must be left out, as Linkerd\'s controller mirrors the Services of all namespaces.';
  const asked =
    'is set, but mirroring is "controller"; it must be left out, as Linkerd\'s controller probes gateways itself.';
  testSentences(`
link: { mirroring: controller, namespaces: [a], excludedNamespaces: [b] }
! links[0].namespaces ${wrong}
! links[0].excludedNamespaces ${wrong}

link: { mirroring: controller, names: "{service}", mirrorNamespaces: { a: b } }
! links[0].names is set, but mirroring is "controller"; it must be left out, as Linkerd's controller names mirrors <service>-<target>.
! links[0].mirrorNamespaces is set, but mirroring is "controller"; it must be left out, as Linkerd's controller mirrors into namespaces of the same name.

# namespaces of a link that linkDefaults leave to the controller
link: { namespaces: [a] }
linkDefaults: { mirroring: controller }
! links[0].namespaces ${wrong}

# namespaces and controller in linkDefaults
link: {}
linkDefaults: { mirroring: controller, excludedNamespaces: [] }
! linkDefaults.excludedNamespaces ${wrong}

# namespaces in linkDefaults for a link with a controller
link: { mirroring: controller }
linkDefaults: { namespaces: [a] }
! linkDefaults.namespaces ${wrong}

# probes of gateways
manage: links
linkDefaults: { mirroring: controller, prober: bed.local/watch:1 }
link: { gatewayProbe: true, prober: bed.local/watch:1 }
! links[0].gatewayProbe ${asked}
! links[0].prober ${asked}

# namespaces are fine if this program mirrors
link: { mirroring: pulumi, namespaces: [a], excludedNamespaces: [b] }
`);
});

describe("stack config: settings of gateway mirrors for links without a gateway", () => {
  const never =
    "is false; it must be left out, as without a gateway it could never mirror anything.";
  const needed = "is false; it must be false, as headless mirrors need a gateway.";
  testSentences(`
link: { gateway: false, selector: { matchLabels: { app: a } }, headless: true }
! links[0].selector is set, but links[0].gateway ${never}
! links[0].headless is true, but links[0].gateway ${needed}

# gatewayProbe without a gateway
link: { gateway: false, gatewayProbe: true }
! links[0].gatewayProbe is true, but links[0].gateway is false; it must be false, as there is no gateway to probe.

# headless with a target without a gateway
clusters: { west: { gateway: false }, east: }
link: { headless: true }
! links[0].headless is true, but clusters.west.gateway ${needed}

# linkDefaults without a gateway
linkDefaults: { gateway: false }
link: { selector: { matchLabels: { app: a } } }
! links[0].selector is set, but linkDefaults.gateway ${never}

# the link's own gateway takes precedence over its target's
clusters: { west: { gateway: false }, east: }
link: { gateway: {}, headless: true }

# the gateway of the source doesn't matter
clusters: { west: , east: { gateway: false } }
link: { headless: true }

# an empty selector is fine
link: { gateway: false, selector: {}, headless: false }

# the other selectors are fine without a gateway
link:
  gateway: false
  remoteDiscoverySelector: { matchLabels: { app: a } }
  federatedServiceSelector: { matchExpressions: [{ key: a, operator: Exists }] }

# linkDefaults that contradict themselves
topology: mesh
linkDefaults: { gateway: false, headless: true, selector: { matchExpressions: [{ key: a, operator: Exists }] } }
! linkDefaults.selector is set, but linkDefaults.gateway ${never}
! linkDefaults.headless is true, but linkDefaults.gateway ${needed}

# linkDefaults are fine if one link has a gateway
topology: mesh
link: { gateway: {} }
linkDefaults: { gateway: false, headless: true }
`);
});

describe("stack config: mistakes are reported together", () => {
  testSentences(`
# in the ends of a link and in its other keys
links:
  - { source: east, target: west, headless: 1 }
  - { source: 5, target: nort }
  - { source: east, target: west, selecter: 1 }
! links[0].headless is 1; it must be true or false.
! links[1].source is 5; it must be the name of a configured cluster, in quotes.
! links[2].selecter is not a key of a link; the nearest key is selector.
! links[1].target is "nort"; ${known}
! links[2] links source "east" to target "west" again, after links[0]; each pair must be listed once: with selector and remoteDiscoverySelector, one link mirrors some Services through the gateway and others pod to pod.

# a link to a cluster with mistakes is fine
clusters: { west: 5, east: }
link: {}
! clusters.west is 5; it must be a map of context, kubeconfig, clusterDomain, trustDomain, apiServer, gateway, privateUnlessListed, gatewayAccess, gatewayClients, values, uid, failover, traffic, drained, serviceLinksDisabled, revoked, adopt, ha, gatewayApi.
`);
});

describe("stack config: a mistake is not reported a second time", () => {
  testSentences(`
# as an unknown cluster, if clusters are invalid
clusters: 5
link: {}
! clusters is 5; it must be a map of clusters by name.

# as ignored pods of an unknown cluster, if clusters are invalid
{ clusters: 5, trust: { ignorePods: [north/shop] } }
! clusters is 5; it must be a map of clusters by name.

# as headless without a gateway, if the gateway is invalid
link: { gateway: no, headless: true }
linkDefaults: { gateway: false }
! links[0].gateway is "no"; it must be false, without quotes, or a map of name, namespace, addresses, allowedAddresses, port, identity.

# as a contradiction in linkDefaults, if the topology is invalid
{ topology: 5, linkDefaults: { gateway: false, headless: true } }
! topology is 5; it must be none, mesh, {hub: <cluster>} or {regions: {<region>: [<cluster>, ...]}}.

# as controllers without provisioning, if manage is invalid
{ manage: mirror, linkDefaults: { mirroring: controller } }
! manage is "mirror"; it must be all, links, mirrors or trust.

# as the same cluster, if a context is invalid
clusters: { a: { context: 5 }, b: { context: a } }
! clusters.a.context is 5; it must be the name of a kubeconfig context, in quotes.
`);
});
