import { testSentences } from "./table.ts";

const digest = `"sha256:${"0123456789abcdef".repeat(4)}"`;
const digests = `{ linkerd-crds: ${digest}, linkerd-control-plane: ${digest}, linkerd-multicluster: ${digest} }`;
const from =
  "the https URL of a Helm repository, an oci:// address, or the path of a local folder, without credentials";
const uncompared =
  "and Helm compares no chart of an https repository with a digest; it must be left out, or";
const comparable = "must be an oci:// address or a folder with the archives that helm pull makes.";
const sha = "it must be sha256: and 64 hexadecimal digits in lower case.";
const [core, extension] = ["linkerd-control-plane", "linkerd-multicluster"];
const decided = "is set; it must be left out, as";

describe("stack config: charts", () => {
  testSentences(`
# invalid sources, versions and timeouts
charts: { source: http://charts.example.com, version: latest, timeoutSeconds: 0 }
! charts.version is "latest"; it must be a chart's version, such as 2026.8.3.
! charts.source is "http://charts.example.com"; it must be ${from}.
! charts.timeoutSeconds is 0; it must be a positive whole number of seconds.

# an https source
charts: { source: https://charts.example.com/edge }

# a folder as source
charts: { source: /srv/charts }

# digests with an oci source
charts: { source: oci://registry.example.com/linkerd, digests: ${digests} }

# digests with a folder
charts: { source: ./charts, digests: ${digests} }

# credentials in a source, which are not quoted
charts: { source: oci://me:hunter2@registry.example.com/linkerd }
! charts.source is "oci://…@registry.example.com/linkerd"; it must be ${from}.

# credentials in the query of a source
charts: { source: https://charts.example.com?token=hunter2 }
! charts.source is "https://charts.example.com?…"; it must be ${from}.

# digests that nobody would compare
charts: { digests: ${digests} }
! charts.digests is set, but charts.source is "https://helm.linkerd.io/edge", ${uncompared} charts.source ${comparable}

# digests that nobody would compare for one chart
charts: { source: ./charts, digests: ${digests}, crds: { repository: https://charts.example.com } }
! charts.digests is set, but charts.crds.repository is "https://charts.example.com", ${uncompared} charts.crds.repository ${comparable}

# missing and invalid digests
charts: { source: ./charts, digests: { linkerd-crds: "sha1:abc" } }
! charts.digests.linkerd-crds is "sha1:abc"; ${sha}
! charts.digests.linkerd-control-plane is missing; ${sha}
! charts.digests.linkerd-multicluster is missing; ${sha}

# invalid settings of a single chart
charts: { controlPlane: { values: hunter2, nested: " x" } }
! charts.controlPlane.nested is " x"; it must be the name of a nested chart.
! charts.controlPlane.values is a string of 7 characters; it must be a map of Helm values.

# values for every cluster that the program sets itself
charts:
  crds: { nested: inner, values: { inner: { installGatewayAPI: true } } }
  multicluster: { values: { createNamespaceMetadataJob: true } }
! charts.crds.values.inner.installGatewayAPI ${decided} the cluster's gatewayApi decides it.
! charts.multicluster.values.createNamespaceMetadataJob ${decided} the program labels the namespace itself.
`);
});

describe("stack config: a cluster's values", () => {
  testSentences(`
# values that the program sets itself
clusters:
  west:
    values:
      linkerd-crds: { installGatewayAPI: true }
      ${core}:
        identityTrustAnchorsPEM: x
        identity: { issuer: { tls: { keyPEM: hunter2 }, clockSkewAllowance: 1m } }
      ${extension}:
        gateway: { enabled: false, replicas: 3 }
        controllers: []
        createNamespaceMetadataJob: null
        remoteMirrorServiceAccount: true
! clusters.west.values.linkerd-crds.installGatewayAPI ${decided} the cluster's gatewayApi decides it.
! clusters.west.values.${core}.identityTrustAnchorsPEM ${decided} trust.anchors decides it.
! clusters.west.values.${core}.identity.issuer.tls ${decided} set it in trust.issuers, which keeps the key out of Helm's values.
! clusters.west.values.${extension}.gateway.enabled ${decided} the cluster's gateway.enabled decides it.
! clusters.west.values.${extension}.createNamespaceMetadataJob ${decided} the program labels the namespace itself.
! clusters.west.values.${extension}.remoteMirrorServiceAccount ${decided} each link gets an account of its own.
! clusters.west.values.${extension}.controllers ${decided} the links' mirroring decides it.

# a null that removes a default of the chart
clusters: { west: { values: { ${core}: { proxy: null } } } }

# invalid values of uid and gatewayApi
clusters: { west: { uid: "", gatewayApi: auto } }
! clusters.west.uid is ""; it must be the UID of the cluster's namespace kube-system.
! clusters.west.gatewayApi is "auto"; it must be install or assume.
`);

  for (const [chart, key, values, state, removed] of [
    [core, "identity", "{ identity: null }", "empty", "externalCA"],
    [
      core,
      "identity.issuer",
      "{ identity: { issuer: hunter2 } }",
      "a string of 7 characters",
      "scheme",
    ],
    [extension, "gateway", "{ gateway: null }", "empty", "enabled"],
    [extension, "gateway", "{ gateway: [] }", "an empty list", "enabled"],
    [extension, "localServiceMirror", "{ localServiceMirror: null }", "empty", "replicas"],
  ] as const)
    testSentences(`
# ${key} that is ${state}, because that removes ${key}.${removed}
clusters: { west: { values: { ${chart}: ${values} } } }
! clusters.west.values.${chart}.${key} is ${state}; it must be a map or be left out, as it would remove ${key}.${removed}, which the program decides.
`);
});
