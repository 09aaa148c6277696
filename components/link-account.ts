import type * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import {
  accessRules,
  accountBinding,
  accountMetadata,
  accountName,
  discoverySelectors,
  linkUse,
  type Namespaces,
  type PolicyRule,
  type TargetArgs,
  type TargetFacts,
  type TokenCheckArgs,
  tokenHead,
} from "@linkerd-multicluster/engine/credentials";
import { omitUndefined } from "@linkerd-multicluster/engine/base";
import type { LinkConfig } from "../config/mesh.ts";
import type { InstalledCluster } from "./cluster.ts";
import { takenOver } from "./cluster-provider.ts";
import { EngineResource, type InputsOf } from "./engine-resource.ts";
import { k8s } from "./sdks.ts";

export interface LinkArgs extends LinkConfig {
  readonly source: InstalledCluster;
  readonly target: InstalledCluster;
  readonly namespaces: Namespaces;
  /** The mark on the link's objects (linkOwner). */
  readonly owner: string;
  readonly targetRefused: string | undefined;
  /** Resources whose deletion ends the source's access to other targets. */
  readonly revocation: readonly pulumi.Resource[];
}

/** Creates a link's objects in the target. A new token is created first, and the old one is deleted last. */
export class LinkAccount extends pulumi.ComponentResource {
  readonly facts: pulumi.Output<TargetFacts>;
  /** The account may watch pods. */
  readonly discovery: pulumi.Output<boolean>;
  /** The account, its ClusterRole and its binding have this name. */
  readonly account: string;
  readonly token: pulumi.Output<string>;
  readonly checked: pulumi.Resource;

  constructor(name: string, args: LinkArgs, opts?: pulumi.ComponentResourceOptions) {
    super("linkerd-multicluster:index:LinkAccount", name, {}, opts);
    const { spec, adopt, target, namespaces } = args;
    const namespace = namespaces.multicluster;
    this.account = accountName(spec.source);

    const found = new LinkTarget(name, targetArgs(args), { parent: this });
    this.facts = found.facts;
    const use = this.facts.apply(({ discovers = false }) =>
      linkUse(spec, args.mirroring, discovers),
    );
    this.discovery = use.apply(({ discovery }) => discovery);
    const rules = use.apply(accessRules);

    // It fails at once where a target doesn't answer. Pulumi's plugin would wait for a minute, without a word.
    const inTarget = { parent: this, provider: target.provider, dependsOn: [found] };
    const rbac = this.#rbac(name, args, rules, inTarget);
    const tokenName = this.facts.apply(({ token }) => token);
    const { metadata, type } = tokenHead(this.account, tokenName, namespace);
    const secret = new k8s.core.v1.Secret(
      `${name}/token`,
      { metadata: takenOver(metadata, adopt), type },
      // Kubernetes deletes the Secret at once if its account doesn't exist. Each new token has a new name, so that
      // Pulumi creates it first and deletes the old one last.
      { ...inTarget, dependsOn: [found, ...rbac] },
    );
    this.token = tokenOf(secret);
    // The check gets the Secret's name, never the token.
    const check: InputsOf<TokenCheckArgs> = {
      target: spec.target,
      access: target.config.access,
      namespace,
      account: this.account,
      rules,
      secret: tokenName,
    };
    const dependsOn = [...rbac, secret];
    this.checked = new EngineResource("TokenCheck", name, check, { parent: this, dependsOn });
    this.registerOutputs({ facts: this.facts });
  }

  #rbac(
    name: string,
    { adopt, owner, namespaces: { multicluster: namespace } }: LinkArgs,
    rules: pulumi.Output<PolicyRule[]>,
    opts: Omit<pulumi.CustomResourceOptions, "dependsOn"> & { dependsOn: pulumi.Resource[] },
  ): pulumi.Resource[] {
    const { annotations, ...common } = accountMetadata(this.account, owner);
    const metadata = takenOver(common, adopt);
    const account = new k8s.core.v1.ServiceAccount(
      name,
      // Only clients of the API server use the account, no pod.
      {
        metadata: takenOver({ ...common, namespace, annotations }, adopt),
        automountServiceAccountToken: false,
      },
      opts,
    );
    const role = new k8s.rbac.v1.ClusterRole(name, { metadata, rules }, opts);
    const binding = new k8s.rbac.v1.ClusterRoleBinding(
      name,
      { metadata, ...accountBinding(this.account, namespace) },
      { ...opts, dependsOn: [...opts.dependsOn, account, role] },
    );
    return [account, role, binding];
  }
}

/** The facts are unknown in a preview if the target doesn't exist yet. An unreachable target keeps its last ones. */
class LinkTarget extends EngineResource {
  declare readonly facts: pulumi.Output<TargetFacts>;

  constructor(name: string, args: TargetArgs, opts: pulumi.CustomResourceOptions) {
    super("LinkTarget", name, { ...args, facts: undefined }, opts);
  }
}

function targetArgs(args: LinkArgs): TargetArgs {
  const { spec, mirroring, adopt, source, target, namespaces, rotation, targetRefused } = args;
  const { access, apiServer } = target.config;
  const selectors = mirroring === "pulumi" ? discoverySelectors(spec) : [];
  return {
    source: spec.source,
    sourceAccess: source.config.access,
    rotation,
    target: spec.target,
    access,
    targetDomain: spec.targetDomain,
    gateway: spec.gateway,
    ...(source.unreachable && { sourceUnreachable: true }),
    ...omitUndefined({ targetRefused, apiServer }),
    ...(target.awaited && { awaited: true }),
    // Nothing is read or removed in a source that is refused or can't be reached.
    ...(adopt && !source.unreachable && { adopt: { spec, mirroring, owner: args.owner } }),
    ...(selectors.length > 0 && { discoverySelectors: selectors }),
    linkerdNamespace: namespaces.linkerd,
    multiclusterNamespace: namespaces.multicluster,
  };
}

/** In a preview, a new Secret has no data, but its unknown id makes the token unknown instead of empty. */
function tokenOf(secret: kubernetes.core.v1.Secret): pulumi.Output<string> {
  const token = pulumi.all([secret.id, secret.data]).apply(([id, data]) => {
    // Pulumi's type declares the data as always set.
    const { token: base64 }: Readonly<Record<string, string | undefined>> = data;
    if (base64 !== undefined) return Buffer.from(base64, "base64").toString();
    if (pulumi.runtime.isDryRun()) return "";
    throw new pulumi.RunError(
      `the token Secret ${id} has no token yet: run pulumi up --refresh once the cluster's controllers have filled it`,
    );
  });
  return pulumi.secret(token);
}
