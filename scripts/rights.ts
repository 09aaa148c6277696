import { omitUndefined } from "@linkerd-multicluster/engine/base";
import {
  accessRules,
  accountName,
  type PolicyRule,
} from "@linkerd-multicluster/engine/credentials";
import { type Resource, resources } from "@linkerd-multicluster/engine/kubernetes";

/**
 * From the runner's rights, `npm run docs` writes the tables of docs/reference/access.md and the rules in examples/rbac.
 * End-to-end tests run with exactly these rules.
 */
export interface Role {
  /** A file in examples/rbac. */
  readonly manifest: string;
  readonly name: string;
  readonly namespace?: string;
  readonly rules: readonly Rule[];
}

type Rule = readonly [
  cluster: "both" | "source" | "target",
  verbs: string,
  kinds: readonly Kind[],
  why: string,
];

interface Kind extends Pick<Resource<unknown>, "apiVersion" | "plural"> {
  /** Without names, the rule is for all objects. */
  readonly names?: readonly string[];
}

const {
  namespaces,
  services,
  endpoints,
  links,
  linkDefinitions,
  nodes,
  pods,
  configMaps,
  secrets,
} = resources;
const { deployments, statefulSets, daemonSets, replicaSets, budgets, serviceCidrs } = resources;
const { httpRoutes, gatewayHttpRoutes, grpcRoutes, serviceProfiles } = resources;
const { authorizationPolicies, meshTlsAuthentications, servers, serverAuthorizations } = resources;
const { serviceAccounts, clusterRoles, clusterRoleBindings, leases } = resources;
const linkStatus: Kind = { ...links, plural: "links/status" };
const restricted: Kind = { ...endpoints, plural: "endpoints/restricted" };
const config: Kind = { ...configMaps, names: ["linkerd-config", "linkerd-identity-trust-roots"] };
const definition: Kind = { ...linkDefinitions, names: ["links.multicluster.linkerd.io"] };
const localRoots: Kind = { ...configMaps, names: ["linkerd-identity-trust-roots-local"] };
const roleOfEast: Kind = { ...clusterRoles, names: [accountName("east")] };
const bindingOfEast: Kind = { ...clusterRoleBindings, names: [accountName("east")] };
const rbac = "rbac.authorization.k8s.io/v1";
const roleKinds = ["roles", "rolebindings"].map((plural): Kind => ({ apiVersion: rbac, plural }));
const proberRole = "linkerd-service-mirror-access-local-resources-west";
const roleOfProber: Kind = { ...clusterRoles, names: [proberRole] };
const bindingOfProber: Kind = { ...clusterRoleBindings, names: [proberRole] };
const namespacedRoleOfProber: Kind = {
  apiVersion: rbac,
  plural: "roles",
  names: ["linkerd-service-mirror-read-remote-creds-west"],
};
const leaseOfProber: Kind = { ...leases, names: ["service-mirror-write-west"] };
const issuer: Kind = { ...secrets, names: ["linkerd-identity-issuer"] };
const gatePolicies = [httpRoutes, authorizationPolicies, meshTlsAuthentications];
const gateStrangers = [
  servers,
  serverAuthorizations,
  gatewayHttpRoutes,
  grpcRoutes,
  serviceAccounts,
];
const chartPolicyOnly: Kind = { ...authorizationPolicies, names: ["linkerd-gateway"] };
const mirrored = [namespaces, services, endpoints];
const rivals = [gatewayHttpRoutes, grpcRoutes, serviceProfiles];
const workloads = [deployments, statefulSets, daemonSets];
const write = "get create update delete";
/** Pulumi's plugin watches an object until it is deleted, with all others of its kind. */
const manage = "get list watch create patch delete";

function role(manifest: string, name: string, rules: readonly Rule[], namespace?: string): Role {
  return { manifest, name: `linkerd-multicluster-${name}`, rules, ...omitUndefined({ namespace }) };
}

export const roles: readonly Role[] = [
  role("preview.yaml", "preview", [
    ["both", "list", mirrored, "Exports, mirrors, and the UID of `kube-system`."],
    [
      "both",
      "list",
      [links],
      "Optional: the age of Links decides whose labels a federated Service without a local member has.",
    ],
    [
      "both",
      "list",
      [nodes],
      "Optional: a gateway's address must not be one of the source's own; `linkerd-clusters check` compares the pod ranges of flat networks.",
    ],
    ["source", "list", [serviceCidrs], "Optional: a gateway's address must not be a ClusterIP."],
    [
      "source",
      "list",
      [deployments],
      "Linkerd's controllers. Needed to remove a link, to destroy, and where others have mirrors; otherwise optional, to name a controller that writes the same mirrors.",
    ],
    [
      "source",
      "list",
      [httpRoutes],
      "The stack's own routes. Optional if none of its Services ever failed over.",
    ],
    [
      "target",
      "list",
      [statefulSets],
      "Optional: whether a missing pod with a mirror comes back, or is gone for good.",
    ],
  ]),
  role("up.yaml", "up", [
    ["source", write, [services, endpoints], "Mirrors; `get` after a conflict."],
    [
      "source",
      "create",
      [restricted],
      "Only on OpenShift: the Endpoints of headless mirrors have ClusterIPs, and a gateway may have an address of the cluster's networks.",
    ],
    ["source", "create", [namespaces], "Only with `createNamespaces`."],
    [
      "source",
      "patch",
      [linkStatus],
      "Optional: without it, the status of Links may be out of date.",
    ],
    ["source", "list", [pods], "Optional: for `clients-meshed` and `serviceLinksDisabled`."],
  ]),
  role("failover.yaml", "failover-preview", [
    ["source", "list", rivals, "Routes of others for the same Services."],
  ]),
  role("failover.yaml", "failover-up", [
    ["source", write, [httpRoutes], "The stack's own routes."],
  ]),
  role(
    "gateway-access.yaml",
    "gateway-access-preview",
    [
      ["target", "list", gatePolicies, "Who may use the closed gateway."],
      [
        "target",
        "list",
        gateStrangers,
        "Optional: what else may open it, and links of other stacks.",
      ],
    ],
    "linkerd-multicluster",
  ),
  role(
    "gateway-access.yaml",
    "gateway-access-up",
    [
      ["target", write, gatePolicies, "The stack's own routes and policies."],
      ["target", "patch", [chartPolicyOnly], "What the chart's policy applies to."],
    ],
    "linkerd-multicluster",
  ),
  role("watch.yaml", "watch", [
    ["both", "watch", mirrored, "Their metadata, to know when to run."],
    ["source", "watch", [links], "Optional: their metadata."],
  ]),
  role("verify.yaml", "verify", [
    ["source", "create get list delete", [pods], "The pod that sends a request."],
  ]),
  role("verify-refusals.yaml", "verify-refusals", [
    [
      "source",
      "get create delete",
      [services, endpoints],
      "The Service that leads through a closed gateway to what isn't exported.",
    ],
  ]),
  role("preview-mesh.yaml", "preview-mesh", [
    [
      "both",
      "get",
      [namespaces],
      "The UID of `kube-system`, and whether the extension is installed.",
    ],
    [
      "both",
      "list",
      [pods],
      "With `all` and `trust`, during a rotation: whose proxies have yet to be restarted.",
    ],
    [
      "source",
      "get",
      [definition],
      "Optional: whether the status of Links has `trustRoots`, which runs keep then.",
    ],
  ]),
  role(
    "preview-mesh.yaml",
    "preview",
    [
      [
        "both",
        "get",
        [config],
        "The domains of the cluster, the anchors that it trusts, and the lifetime of certificates.",
      ],
      ["target", "get", [localRoots], "Only where the status of Links has `trustRoots`."],
    ],
    "linkerd",
  ),
  role(
    "preview-mesh.yaml",
    "preview",
    [
      ["target", "get", [services], "The gateway."],
      ["source", "get", [links], "Whether the Link exists, and who owns it."],
      [
        "source",
        "get",
        [leaseOfProber],
        "Optional: what a prober says of its gateway. List a name for each target, here for `west`.",
      ],
      ["target", "get", [serviceAccounts], "Optional: whether a renamed cluster has the account."],
    ],
    "linkerd-multicluster",
  ),
  role(
    "preview-secrets.yaml",
    "preview-secrets",
    [["both", "get", [issuer], "The issuer's certificate."]],
    "linkerd",
  ),
  role(
    "preview-secrets.yaml",
    "preview-secrets",
    [["target", "list", [secrets], "The age of links' tokens."]],
    "linkerd-multicluster",
  ),
  role("restarts.yaml", "restarts-preview", [
    ["both", "get", [...workloads, replicaSets], "Who owns the pods whose proxies lag behind."],
    ["both", "list", [budgets], "What must not be restarted now."],
  ]),
  role("restarts.yaml", "restarts-up", [["both", "patch", workloads, "Restarts."]]),
  role(
    "restarts.yaml",
    "restarts-up",
    [["both", "create", [pods], "A dry run, which shows what Linkerd's injector writes."]],
    "linkerd-multicluster",
  ),
  role("links.yaml", "links", [
    [
      "target",
      "list watch create",
      [clusterRoles, clusterRoleBindings],
      "The rights of links' accounts.",
    ],
    [
      "target",
      "get patch delete",
      [roleOfEast, bindingOfEast],
      "The same: list a name for each source, here for `east`.",
    ],
    [
      "target",
      "bind",
      [roleOfEast],
      "The same; in a first preview, Kubernetes can't compare the rights of a role that doesn't exist yet.",
    ],
    ...accessRules({ controller: true, discovery: true }).map(grantable),
  ]),
  role(
    "links.yaml",
    "links",
    [
      ["target", manage, [serviceAccounts], "The accounts of links."],
      ["target", manage, [secrets], "Their tokens; in sources, the credentials."],
      ["source", manage, [links], "Links."],
    ],
    "linkerd-multicluster",
  ),
  role(
    "links.yaml",
    "links",
    [["source", manage, [secrets], "The credentials that Linkerd's destination controller uses."]],
    "linkerd",
  ),
  role("prober.yaml", "prober", [
    [
      "source",
      "get patch delete",
      [roleOfProber, bindingOfProber],
      "What Linkerd's tools look for, without any right: list a name for each target, here for `west`.",
    ],
    ["source", "bind", [roleOfProber], "The same; see links.yaml."],
  ]),
  role(
    "prober.yaml",
    "prober",
    [
      ["source", manage, [deployments, serviceAccounts, ...roleKinds], "Probers."],
      [
        "source",
        "patch",
        [leaseOfProber],
        "Granted to probers: list a name for each target, here for `west`.",
      ],
      ["source", "create", [leases], "Granted to probers, too."],
      ["source", "bind", [namespacedRoleOfProber], "The same; see links.yaml."],
    ],
    "linkerd-multicluster",
  ),
];

/** Kubernetes lets nobody give an account rights that they don't have themselves. */
function grantable({ apiGroups, resources: plurals, resourceNames, verbs }: PolicyRule): Rule {
  const [group = ""] = apiGroups;
  const kinds = plurals.map((plural) => {
    const apiVersion = group === "" ? "v1" : `${group}/v1`;
    return { apiVersion, plural, ...omitUndefined({ names: resourceNames }) };
  });
  const why = "Granted to links' accounts: a runner can grant only rights that it has.";
  return ["target", verbs.join(" "), kinds, why];
}
