import { testSentences } from "./table.ts";

const known = 'it must be one of the configured clusters, "west", "east".';

describe("stack config: keys that do not go together", () => {
  testSentences(`
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
! links[2] links source "east" to target "west" again, after links[0]; each pair must be listed once.

# a listed link of the topology is no second one
link: {}
topology: mesh

# failover
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

# failover to mirrors of Linkerd's controller
link: { mirroring: controller }
clusters: { west: , east: { failover: { shop/web: [local, west] } } }
! clusters.east.failover["shop/web"][1] is "west"; it must be local, or the target of a link of east that this program mirrors.

# regions
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

# namespaces of mirrors on a flat network
link: { gateway: false, mirrorNamespaces: { a: b } }
! links[0].mirrorNamespaces is set, but links[0].gateway is false; it must be left out, as Linkerd discovers pods only for a mirror in the Service's own namespace.

# headless mirrors within a region
link: { headless: true }
topology: { regions: { eu: [west, east] } }
! links[0].headless is true, but source and target are in one region; it must be false, as headless mirrors need a gateway.

# the same cluster twice
clusters: { west: { context: a }, a: }
! clusters.a is the same cluster as clusters.west, context "a" of the same kubeconfig; each cluster must be listed once.

# one context in two kubeconfigs
clusters: { west: { context: a, kubeconfig: w }, east: { context: a, kubeconfig: e } }

# no links and no topology
{ links: [], topology: none }
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

# links does
{ manage: links, linkDefaults: { mirroring: controller } }

# so does all, the default
linkDefaults: { mirroring: controller }
`);
});

describe("stack config: a cluster that is private unless listed", () => {
  testSentences(`
clusters: { west: { privateUnlessListed: true }, east: }
link: { mirroring: controller }
! clusters.west.privateUnlessListed is true, but mirroring of link east → west is "controller"; it must be false, as Linkerd's controller doesn't know which clusters a Service lists.

# by linkDefaults
clusters: { west: { privateUnlessListed: true }, east: }
topology: mesh
linkDefaults: { mirroring: controller }
! clusters.west.privateUnlessListed is true, but mirroring of link east → west is "controller"; it must be false, as Linkerd's controller doesn't know which clusters a Service lists.

# a controller for another target, and a link that this program mirrors
clusters: { west: { privateUnlessListed: true }, east: }
links: [{ source: east, target: west, mirroring: pulumi }, { source: west, target: east }]
linkDefaults: { mirroring: controller }
`);
});

describe("stack config: Linkerd's controller knows neither namespaces nor names", () => {
  const wrong =
    'is set, but mirroring is "controller"; it must be left out, as Linkerd\'s controller mirrors the Services of all namespaces.';
  testSentences(`
link: { mirroring: controller, namespaces: [a], excludedNamespaces: [b] }
! links[0].namespaces ${wrong}
! links[0].excludedNamespaces ${wrong}

link: { mirroring: controller, names: "{service}", mirrorNamespaces: { a: b } }
! links[0].names is set, but mirroring is "controller"; it must be left out, as Linkerd's controller names mirrors <service>-<target>.
! links[0].mirrorNamespaces is set, but mirroring is "controller"; it must be left out, as Linkerd's controller mirrors into namespaces of the same name.

# of a link that linkDefaults leave to the controller
link: { namespaces: [a] }
linkDefaults: { mirroring: controller }
! links[0].namespaces ${wrong}

# of linkDefaults
link: {}
linkDefaults: { mirroring: controller, excludedNamespaces: [] }
! linkDefaults.excludedNamespaces ${wrong}

# of linkDefaults, for a link that this program does not mirror
link: { mirroring: controller }
linkDefaults: { namespaces: [a] }
! linkDefaults.namespaces ${wrong}

# but this program does
link: { mirroring: pulumi, namespaces: [a], excludedNamespaces: [b] }
`);
});

describe("stack config: nothing is mirrored through a gateway where there is none", () => {
  const never =
    "is false; it must be left out, as without a gateway it could never mirror anything.";
  const needed = "is false; it must be false, as headless mirrors need a gateway.";
  testSentences(`
link: { gateway: false, selector: { matchLabels: { app: a } }, headless: true }
! links[0].selector is set, but links[0].gateway ${never}
! links[0].headless is true, but links[0].gateway ${needed}

# there is nothing to probe
link: { gateway: false, gatewayProbe: true }
! links[0].gatewayProbe is true, but links[0].gateway is false; it must be false, as there is no gateway to probe.

# its target has none
clusters: { west: { gateway: false }, east: }
link: { headless: true }
! links[0].headless is true, but clusters.west.gateway ${needed}

# no link has one
linkDefaults: { gateway: false }
link: { selector: { matchLabels: { app: a } } }
! links[0].selector is set, but linkDefaults.gateway ${never}

# the link's own gateway wins
clusters: { west: { gateway: false }, east: }
link: { gateway: {}, headless: true }

# its source does not matter
clusters: { west: , east: { gateway: false } }
link: { headless: true }

# an empty selector says the same
link: { gateway: false, selector: {}, headless: false }

# the other selectors need no gateway
link:
  gateway: false
  remoteDiscoverySelector: { matchLabels: { app: a } }
  federatedServiceSelector: { matchExpressions: [{ key: a, operator: Exists }] }

# linkDefaults speaks of links with a gateway
link: { gateway: false }
linkDefaults: { headless: true, selector: { matchLabels: { app: a } } }

# linkDefaults contradicts itself
topology: mesh
linkDefaults: { gateway: false, headless: true, selector: { matchExpressions: [{ key: a, operator: Exists }] } }
! linkDefaults.selector is set, but linkDefaults.gateway ${never}
! linkDefaults.headless is true, but linkDefaults.gateway ${needed}

# unless one link has a gateway
topology: mesh
link: { gateway: {} }
linkDefaults: { gateway: false, headless: true }
`);
});

describe("stack config: one mistake does not hide another", () => {
  testSentences(`
# ends are judged beside a wrong key
links:
  - { source: east, target: west, headless: 1 }
  - { source: 5, target: nort }
  - { source: east, target: west, selecter: 1 }
! links[0].headless is 1; it must be true or false.
! links[1].source is 5; it must be the name of a configured cluster, in quotes.
! links[2].selecter is not a key of a link; the nearest key is selector.
! links[1].target is "nort"; ${known}
! links[2] links source "east" to target "west" again, after links[0]; each pair must be listed once.

# a wrong cluster is still a cluster
clusters: { west: 5, east: }
link: {}
! clusters.west is 5; it must be a map of context, kubeconfig, clusterDomain, trustDomain, apiServer, gateway, privateUnlessListed, values, uid, failover, revoked, adopt, gatewayApi.
`);
});

describe("stack config: what can't be judged is not", () => {
  testSentences(`
# names, without clusters
clusters: 5
link: {}
! clusters is 5; it must be a map of clusters by name.

# headless, with a wrong gateway
link: { gateway: no, headless: true }
linkDefaults: { gateway: false }
! links[0].gateway is "no"; it must be false, without quotes, or a map of name, namespace, addresses, allowedAddresses, port, identity.

# linkDefaults, with a wrong topology
{ topology: 5, linkDefaults: { gateway: false, headless: true } }
! topology is 5; it must be none, mesh, {hub: <cluster>} or {regions: {<region>: [<cluster>, ...]}}.

# controllers, with a wrong manage
{ manage: mirror, linkDefaults: { mirroring: controller } }
! manage is "mirror"; it must be all, links, mirrors or trust.

# sameness, with a wrong context
clusters: { a: { context: 5 }, b: { context: a } }
! clusters.a.context is 5; it must be the name of a kubeconfig context, in quotes.
`);
});
