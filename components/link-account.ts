import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import {
  accessRules,
  accountAnnotation,
  accountName,
  discoverySelectors,
  linkUse,
  managedBy,
  type Namespaces,
  type PolicyRule,
  type TargetFacts,
  type TokenRotation,
  tokenType,
} from "@linkerd-multicluster/engine/credentials";
import type { ClusterAccess } from "@linkerd-multicluster/engine/kubernetes";
import type { LinkSpec } from "@linkerd-multicluster/engine/mirroring";
import { LinkTarget, TokenCheck } from "./engine-resources.ts";

export interface LinkAccountArgs {
  readonly spec: LinkSpec;
  readonly mirroring: "pulumi" | "controller";
  /** The runner's access to the source. */
  readonly source: ClusterAccess;
  /** Whether the source can't be given a new token in this run. */
  readonly sourceUnreachable?: boolean;
  /** The target: how the runner reaches it, and the URL at which the source does, if another. */
  readonly target: {
    readonly access: ClusterAccess;
    readonly apiServer?: string;
    /** Another stack installs Linkerd there, perhaps at this moment. */
    readonly awaited?: true;
  };
  readonly namespaces: Namespaces;
  readonly rotation: TokenRotation;
  /** The target cluster's provider. */
  readonly provider: k8s.Provider;
}

/**
 * A link's part in the target: a service account of its own for the consumer, with the rights that
 * the link uses, and its token. A new token is created first; the old one is deleted at the very end
 * of the run.
 */
export class LinkAccount extends pulumi.ComponentResource {
  readonly facts: pulumi.Output<TargetFacts>;
  /** Whether the account may watch pods. */
  readonly discovery: pulumi.Output<boolean>;
  /** The account's name, which is also that of its ClusterRole and binding. */
  readonly account: string;
  /** Secret. Nothing may use it before `checked`. */
  readonly token: pulumi.Output<string>;
  readonly checked: TokenCheck;

  constructor(name: string, args: LinkAccountArgs, opts?: pulumi.ComponentResourceOptions) {
    super("linkerd-multicluster:index:LinkAccount", name, {}, opts);
    const { spec, namespaces, provider } = args;
    const { access } = args.target;
    const namespace = namespaces.multicluster;
    this.account = accountName(spec.source);

    const target = new LinkTarget(name, targetArgs(args), { parent: this });
    this.facts = target.facts;
    const use = this.facts.apply(({ discovers = false }) =>
      linkUse(spec, args.mirroring, discovers),
    );
    this.discovery = use.apply(({ discovery }) => discovery);
    const rules = use.apply((only) => accessRules([only]));

    const inTarget = { parent: this, provider };
    const rbac = this.#rbac(name, namespace, rules, inTarget);
    const secret = new k8s.core.v1.Secret(
      `${name}/token`,
      {
        metadata: {
          name: this.facts.apply(({ token }) => token),
          namespace,
          labels: ourLabels,
          annotations: { [accountAnnotation]: this.account },
        },
        type: tokenType,
      },
      // Without its account Kubernetes deletes the Secret at once. Its name changes with every new
      // token, so that Pulumi creates the new one first and deletes the old one last.
      { ...inTarget, dependsOn: rbac },
    );
    this.token = tokenOf(secret);
    this.checked = new TokenCheck(
      name,
      {
        ...{ target: spec.target, access, namespace, account: this.account, rules },
        secret: this.facts.apply(({ token }) => token),
      },
      { parent: this, dependsOn: [...rbac, secret] },
    );
    this.registerOutputs({ facts: this.facts });
  }

  #rbac(
    name: string,
    namespace: string,
    rules: pulumi.Output<readonly PolicyRule[]>,
    opts: pulumi.CustomResourceOptions,
  ): pulumi.Resource[] {
    const metadata = { name: this.account, labels: ourLabels };
    const account = new k8s.core.v1.ServiceAccount(
      name,
      // Only the API server's clients use it, no pod.
      { metadata: { ...metadata, namespace }, automountServiceAccountToken: false },
      opts,
    );
    const role = new k8s.rbac.v1.ClusterRole(
      name,
      { metadata, rules: rules.apply((all) => all.map(plainRule)) },
      opts,
    );
    const binding = new k8s.rbac.v1.ClusterRoleBinding(
      name,
      {
        metadata,
        roleRef: {
          apiGroup: "rbac.authorization.k8s.io",
          kind: "ClusterRole",
          name: this.account,
        },
        subjects: [{ kind: "ServiceAccount", name: this.account, namespace }],
      },
      { ...opts, dependsOn: [account, role] },
    );
    return [account, role, binding];
  }
}

const ourLabels = { "linkerd.io/extension": "multicluster", ...managedBy };

function targetArgs(args: LinkAccountArgs) {
  const { spec, mirroring, source, target, namespaces, rotation } = args;
  const { access, apiServer, awaited } = target;
  const selectors = mirroring === "pulumi" ? discoverySelectors(spec) : [];
  return {
    source: spec.source,
    target: spec.target,
    access,
    sourceAccess: source,
    ...(args.sourceUnreachable === true && { sourceUnreachable: true as const }),
    ...(apiServer !== undefined && { apiServer }),
    ...(awaited === true && { awaited }),
    targetDomain: spec.targetDomain,
    gateway: spec.gateway,
    ...(selectors.length > 0 && { discoverySelectors: selectors }),
    linkerdNamespace: namespaces.linkerd,
    multiclusterNamespace: namespaces.multicluster,
    rotation,
  };
}

/**
 * In a preview, a Secret that is yet to be created has no data, which would be taken for no token:
 * its id, unknown until then, makes the token unknown too.
 */
function tokenOf(secret: k8s.core.v1.Secret): pulumi.Output<string> {
  const token = pulumi.all([secret.id, secret.data]).apply(([id, data]) => {
    // Pulumi's type has the data as always set.
    const { token: base64 }: Readonly<Record<string, string | undefined>> = data;
    if (base64 !== undefined) return Buffer.from(base64, "base64").toString();
    if (pulumi.runtime.isDryRun()) return "";
    throw new pulumi.RunError(
      `the token Secret ${id} has no token yet: run pulumi up --refresh once the cluster's controllers have filled it`,
    );
  });
  return pulumi.secret(token);
}

function plainRule({ apiGroups, resources, verbs, resourceNames }: PolicyRule) {
  return {
    apiGroups: [...apiGroups],
    resources: [...resources],
    verbs: [...verbs],
    ...(resourceNames !== undefined && { resourceNames: [...resourceNames] }),
  };
}
