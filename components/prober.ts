import * as pulumi from "@pulumi/pulumi";
import {
  type LinkGateway,
  managedBy,
  type TargetFacts,
} from "@linkerd-multicluster/engine/credentials";
import { leaseName, probeName } from "@linkerd-multicluster/engine/mirroring";
import { everything, takenOver } from "./cluster-provider.ts";
import type { LinkArgs } from "./link-account.ts";
import { k8s } from "./sdks.ts";

/**
 * Asks the target's gateway from inside the source. Linkerd's tools take these objects for those of its controller, by their
 * labels and names (`multicluster/cmd/check.go`). Of the two names that they know for each object, these are the former
 * ones: those of the chart linkerd-multicluster would be in its way when it brings its own.
 */
export class Prober extends pulumi.ComponentResource {
  constructor(
    name: string,
    { spec: { target, prober }, adopt, source, namespaces: { multicluster: namespace } }: LinkArgs,
    facts: pulumi.Output<TargetFacts>,
    link: pulumi.Resource,
    opts: pulumi.ComponentResourceOptions,
  ) {
    super("linkerd-multicluster:index:Prober", name, {}, opts);
    const { provider, unreachable } = source;
    const ignoreChanges = unreachable ? everything : [];
    const inSource = { parent: this, provider, ignoreChanges, dependsOn: [link] };
    const own = { component: "controller", "mirror.linkerd.io/cluster-name": target };
    const labels = { ...own, "linkerd.io/extension": "multicluster", ...managedBy };
    const metadata = (called: string, annotations = {}) =>
      takenOver({ name: `${called}-${target}`, labels, annotations }, adopt);
    const within = (called: string, annotations?: object) => {
      return { ...metadata(called, annotations), namespace };
    };
    const account = "linkerd-service-mirror";
    const [everywhere, inPlace] = ["access-local-resources", "read-remote-creds"].map(
      (what) => `${account}-${what}`,
    ) as [string, string];
    const bound = (kind: "Role" | "ClusterRole", called: string) => ({
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name: `${called}-${target}` },
      subjects: [{ kind: "ServiceAccount", name: `${account}-${target}`, namespace }],
    });
    const leases = { apiGroups: ["coordination.k8s.io"], resources: ["leases"] };
    const rules = [
      { ...leases, resourceNames: [leaseName(target)], verbs: ["patch"] },
      // A name can't restrict it.
      { ...leases, verbs: ["create"] },
    ];
    const { v1: rbac } = k8s.rbac;
    const binding = { metadata: within(inPlace), ...bound("Role", inPlace) };
    const clusterBinding = { metadata: metadata(everywhere), ...bound("ClusterRole", everywhere) };
    const roles = [
      new k8s.core.v1.ServiceAccount(name, { metadata: within(account) }, inSource),
      new rbac.Role(name, { metadata: within(inPlace), rules }, inSource),
      new rbac.RoleBinding(name, binding, inSource),
      // The check asks for both; a prober may do nothing outside of its namespace.
      new rbac.ClusterRole(name, { metadata: metadata(everywhere) }, inSource),
      new rbac.ClusterRoleBinding(name, clusterBinding, inSource),
    ];
    const field = (env: string, fieldPath: string) => ({
      name: env,
      valueFrom: { fieldRef: { fieldPath } },
    });
    const port = { name: "ctrl-admin", containerPort: 9999 };
    const ask = (path: string) => ({ httpGet: { path, port: port.name } });
    new k8s.apps.v1.Deployment(
      name,
      {
        // An image that can't be pulled fails no run: `linkerd-clusters check` says so.
        metadata: within("prober", { "pulumi.com/skipAwait": "true" }),
        spec: {
          // Two pods would contend for the Lease.
          strategy: { type: "Recreate" },
          selector: { matchLabels: own },
          template: {
            metadata: { labels, annotations: { "linkerd.io/inject": "enabled" } },
            spec: {
              serviceAccountName: `${account}-${target}`,
              securityContext: { seccompProfile: { type: "RuntimeDefault" } },
              containers: [
                {
                  // Linkerd's tools look for these names (`multicluster/cmd/gateways.go` of linkerd2).
                  name: "controller",
                  image: String(prober),
                  command: ["node", "cli/linkerd-clusters.mjs", "probe-gateway", target],
                  args: facts.apply(({ gateway }) => argsFor(target, namespace, gateway?.probe)),
                  env: [
                    field("POD", "metadata.name"),
                    field("POD_UID", "metadata.uid"),
                    field("POD_NAMESPACE", "metadata.namespace"),
                  ],
                  ports: [port],
                  livenessProbe: ask("/livez"),
                  readinessProbe: ask("/readyz"),
                  resources: { requests: { cpu: "10m", memory: "96Mi" } },
                  securityContext: {
                    allowPrivilegeEscalation: false,
                    capabilities: { drop: ["ALL"] },
                    readOnlyRootFilesystem: true,
                    runAsNonRoot: true,
                    runAsUser: 1000,
                  },
                },
              ],
            },
          },
        },
      },
      { ...inSource, dependsOn: [link, ...roles] },
    );
    this.registerOutputs({});
  }
}

/** Without a gateway, or without a probe of it, the Deployment only stands in for Linkerd's controller. */
function argsFor(target: string, namespace: string, probe: LinkGateway["probe"]): string[] {
  if (probe === undefined) return [];
  const { path, port, period } = probe;
  return ["--url", `http://${probeName(target)}.${namespace}:${port}${path}`, "--period", period];
}
