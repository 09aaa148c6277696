import * as z from "zod";
import {
  linkDefaults as engine,
  linkerdGateway,
  mostInChain,
  mostInSplit,
  mostWeight,
} from "@linkerd-multicluster/engine/mirroring";
import { chart, charts, chartValues, digests } from "./chart-keys.ts";
import { clusterGateway, clusterGatewayOrFlat, gateway } from "./gateway-keys.ts";
import * as links from "./link-keys.ts";
import {
  anything,
  choice,
  identifying,
  linking,
  list,
  mirroring,
  modes,
  off,
  oneOf,
  only,
  optional,
  type Section,
  section,
  trusting,
  wholeNumber,
  withDefault,
} from "./schema.ts";
import * as syntax from "./syntax.ts";
import { clusterName, topology, topologyRule } from "./topology-keys.ts";
import { issuer, trust } from "./trust-keys.ts";

/**
 * Describes every key of the stack config, with the other tables of this folder (*-keys.ts): its type, default, meaning,
 * and the rule for its mistakes.
 * Schemas, defaults, messages, Pulumi.yaml and the reference (`npm run docs`) are derived from this one table. Keys
 * are a promise: adding one is free, changing the meaning of one is not.
 */
export const cluster = section("a cluster", {
  context: optional(
    syntax.oneLine("the name of a kubeconfig context"),
    "the cluster's name",
    "the context in the kubeconfig",
  ),
  kubeconfig: optional(
    syntax.oneLine("the path of a kubeconfig file, never its content"),
    "`KUBECONFIG`, then the default file",
    "path of a kubeconfig file, never its content",
    { confidential: true },
  ),
  clusterDomain: withDefault(syntax.domain, engine.targetDomain, "the cluster's own DNS domain"),
  trustDomain: only(
    identifying,
    optional(
      syntax.domain,
      "the mesh's `trustDomain`",
      "a trust domain of the cluster's own (docs/guides/trust.md); with `manage: links`, the one that its Linkerd has, which closed gateways must know (`gatewayAccess`)",
    ),
  ),
  apiServer: only(
    linking,
    optional(
      syntax.apiServer,
      "the kubeconfig's server",
      "the https URL at which the other clusters reach this cluster's API server",
    ),
  ),
  gateway: only(
    mirroring,
    optional(
      clusterGatewayOrFlat,
      "the gateway Service",
      "the `gateway` of every link that targets this cluster and sets none itself; besides the keys of a gateway, `enabled` decides whether the cluster gets one",
      { of: clusterGateway },
    ),
  ),
  privateUnlessListed: only(
    mirroring,
    off(
      "other clusters import only Services of this one whose annotation `linkerd-multicluster/clusters` names them (docs/guides/imports.md); not with `mirroring: controller` on a link that targets it",
    ),
  ),
  gatewayAccess: only(
    linking,
    choice(
      ["open", "exported"],
      "what clients of other clusters reach through this cluster's gateway: `open` every Service, as Linkerd; `exported` only what is exported to their cluster (docs/guides/imports.md)",
    ),
  ),
  gatewayClients: only(
    linking,
    optional(
      list(syntax.serviceAccountKey, "a list of ServiceAccounts, each as namespace/name"),
      "all clients of the cluster",
      "the ServiceAccounts, as `namespace/name`, whose pods may use closed gateways of other clusters (`gatewayAccess`); clusters that share a trust domain can be told apart only by them",
    ),
  ),
  values: only(
    trusting,
    withDefault(
      chartValues.schema,
      {},
      "Helm values by chart: `linkerd-crds`, `linkerd-control-plane`, `linkerd-multicluster`",
      { confidential: true },
    ),
  ),
  uid: optional(
    syntax.oneLine("the UID of the cluster's namespace kube-system"),
    "that of the first run",
    "UID that the cluster's namespace `kube-system` must have; to accept a cluster that was recreated, set its new UID",
  ),
  failover: only(
    mirroring,
    withDefault(
      z.record(
        syntax.serviceKey,
        list(z.string({ error: "the name of a cluster, or local" }), "a list of clusters").max(
          mostInChain,
          { error: `at most ${mostInChain} clusters` },
        ),
        { error: "a map from namespace/name of a Service to a list of clusters" },
      ),
      {},
      "by `namespace/name` of a Service, the clusters to which its requests go, the first one with endpoints: `local` is this cluster, all others are targets of its links (docs/guides/traffic.md)",
    ),
  ),
  traffic: only(
    mirroring,
    withDefault(
      z.record(
        syntax.serviceKey,
        z
          .record(
            z.string(),
            wholeNumber(`a whole number from 0 to ${mostWeight}`, mostWeight, 0),
            {
              error: "a map from clusters, or local, to weights",
            },
          )
          .refine((weights) => Object.keys(weights).length <= mostInSplit, {
            error: `at most ${mostInSplit} clusters`,
          }),
        { error: "a map from namespace/name of a Service to the weights of clusters" },
      ),
      {},
      "by `namespace/name` of a Service, the clusters among which its requests are split, each with its weight: `local` is this cluster, all others are targets of its links (docs/guides/traffic.md)",
    ),
  ),
  drained: only(
    mirroring,
    off(
      "`true`, for maintenance: no route (`failover`, `traffic`) and no federated Service of this stack sends requests to the cluster, except where no other cluster serves them; mirrors stay (docs/guides/traffic.md)",
    ),
  ),
  serviceLinksDisabled: only(
    mirroring,
    off(
      "all pods of the cluster set `enableServiceLinks: false`, so the limit of their environment (docs/reference/limits.md) applies only in namespaces with a pod that doesn't",
    ),
  ),
  revoked: off(
    "`true`: no run contacts the cluster, and its accounts and mirrors in the other clusters are deleted (docs/guides/revoke.md)",
  ),
  adopt: only(
    ["all"],
    off(
      "take over the namespaces and the issuer's Secret that exist already; for charts that Helm or Linkerd's CLI installed (docs/guides/migrate.md)",
    ),
  ),
  ha: only(
    ["all"],
    off(
      "several pods of Linkerd and of the gateway on different nodes, with the values of `linkerd install --ha` and `linkerd multicluster install --ha`; needs three nodes",
    ),
  ),
  gatewayApi: only(
    ["all"],
    choice(
      ["install", "assume"],
      "the Gateway API's CRDs: `install` them with the chart `linkerd-crds`, or `assume` that they are installed already",
    ),
  ),
});

export const stack = section("this program's config", {
  clusters: {
    type: anything.exactOptional(),
    required: true,
    of: cluster,
    meaning:
      "the clusters of the mesh: a map from a name of your choice, the suffix of mirrors (`<service>-<cluster>`), to the cluster's own keys",
  },
  links: only(
    mirroring,
    withDefault(anything, [], "which cluster mirrors from which: a list of links", {
      of: links.link,
    }),
  ),
  manage: choice(
    modes,
    "how much of the mesh this stack manages: `mirrors` only; `links` adds access, credentials and Link resources where Linkerd runs; `all` installs everything; `trust` generates the trust anchor and issuers for other stacks only",
  ),
  topology: only(
    mirroring,
    withDefault(
      z.union([oneOf("none", "mesh"), topology.schema], {
        error: topologyRule,
      }),
      "none",
      "links that need not be listed, in both directions: `mesh` between all clusters, `{ hub: <cluster> }` between that cluster and all others, `{ regions: ... }` between all clusters, flat within a region; a listed link replaces that of the topology",
      { of: topology },
    ),
  ),
  leaving: withDefault(
    z.record(clusterName, oneOf("keep", "delete"), {
      error: "a map from clusters to keep or delete",
    }),
    {},
    "for one run, what happens to all that this stack has installed in a cluster and no longer manages: `keep` leaves it there and drops it from the state, `delete` deletes it; otherwise the run is refused (docs/guides/revoke.md)",
  ),
  trustKeysExported: off(
    "`true`: the private keys of the generated trust, which only the state has, were exported and may leave it",
  ),
  linkDefaults: only(
    mirroring,
    withDefault(
      anything,
      {},
      "settings for every link that does not set them itself: any key of a link but `source` and `target`",
    ),
  ),
  linkerdCheck: only(
    mirroring,
    off(
      "after a run that changed something, also run `linkerd check` and `linkerd multicluster check`, where the CLI is on PATH",
    ),
  ),
  linkerdNamespace: withDefault(
    syntax.namespaceName,
    "linkerd",
    "the namespace of Linkerd's control plane",
  ),
  multiclusterNamespace: withDefault(
    syntax.namespaceName,
    linkerdGateway.namespace,
    "the namespace of Linkerd's multicluster extension and its gateway",
  ),
  trustDomain: only(
    identifying,
    withDefault(
      syntax.domain,
      engine.targetDomain,
      "the trust domain of all clusters, with which every identity ends; it does not depend on `clusterDomain`",
    ),
  ),
  trust: only(
    trusting,
    withDefault(
      trust.schema,
      {},
      "where the trust anchor and issuers come from: generated and kept in the stack's state, unless `trust` says otherwise",
      { of: trust, confidential: true },
    ),
  ),
  charts: only(
    trusting,
    withDefault(charts.schema, {}, "where Linkerd's charts come from, and their version", {
      of: charts,
    }),
  ),
  mesh: optional(
    syntax.oneLine("the path of a YAML file"),
    "none",
    "path, from the folder of `Pulumi.yaml`, of a YAML file with keys that stacks share, without `linkerd-multicluster:`; a key of the stack replaces that of the file as a whole (docs/guides/fleet.md)",
  ),
  sources: optional(
    list(z.string({ error: "the name of a configured cluster" }), "a list of clusters"),
    "all clusters",
    "the clusters into which this stack mirrors, if other stacks have the rest of the mesh (docs/guides/fleet.md); no two stacks may list the same cluster",
  ),
});

/** These maps of the config have known keys. */
export const sections = {
  stack,
  cluster,
  chartValues,
  topology,
  trust,
  issuer,
  charts,
  chart,
  digests,
  link: links.link,
  linkDefaults: links.linkDefaultKeys,
  gateway,
  clusterGateway,
  selector: links.selector,
  expression: links.expression,
} satisfies Record<string, Section>;
