import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { LinkSpec } from "@linkerd-multicluster/engine/mirroring";
import { base64, everything } from "./cluster-provider.ts";
import {
  credentialsSecrets,
  discoveryAnnotation,
  kubeconfigFor,
  linkManifestSpec,
  linkMetadata,
  linkVersion,
  type Namespaces,
  type SecretHead,
} from "@linkerd-multicluster/engine/credentials";
import type { LinkAccount } from "./link-account.ts";

export interface LinkCredentialsArgs {
  readonly spec: LinkSpec;
  readonly mirroring: "pulumi" | "controller";
  readonly access: LinkAccount;
  readonly namespaces: Namespaces;
  /** The source cluster's provider; with `enableSecretMutable`, else its copy is replaced as well. */
  readonly provider: k8s.Provider;
  /** Whether the source can't be reached, so that what it has stays as it is. */
  readonly unreachable: boolean;
}

/**
 * A link's part in the source: the credentials for its two readers, and the Link resource. Mirrors
 * depend on this component, because the destination controller never looks again for a cluster
 * that it did not know when a mirror came up (linkerd-behaviour.md 5).
 */
export class LinkCredentials extends pulumi.ComponentResource {
  /** Changes when the source gets other credentials; not a secret itself. */
  readonly revision: pulumi.Output<readonly string[]>;

  constructor(name: string, args: LinkCredentialsArgs, opts?: pulumi.ComponentResourceOptions) {
    super("linkerd-multicluster:index:LinkCredentials", name, {}, opts);
    const { spec, access, namespaces, provider, unreachable } = args;
    this.revision = access.facts.apply(({ server, token }) => [server, token]);
    // Pulumi lifts the facts' fields, so that all but the domains is known in every preview.
    const heads = credentialsSecrets(spec.target, access.facts, namespaces);
    // Nothing gets a token that has not been checked.
    const ignoreChanges = unreachable ? everything : [];
    const inSource = { parent: this, provider, dependsOn: access.checked, ignoreChanges };
    const mirror = new k8s.core.v1.Secret(
      `${name}/mirror`,
      secretArgs(heads.mirror, spec, access),
      inSource,
    );
    const { annotations = {}, ...metadata } = heads.destination.metadata;
    const destination = new k8s.core.v1.Secret(
      `${name}/destination`,
      secretArgs(
        {
          ...heads.destination,
          metadata: {
            ...metadata,
            // Without the rights the controller gives up on the target: a change replaces the Secret.
            annotations: {
              ...annotations,
              [discoveryAnnotation]: access.discovery.apply(String),
            },
          },
        },
        spec,
        access,
      ),
      // The destination controller sees Secrets come and go and nothing else (5).
      { ...inSource, deleteBeforeReplace: true, replaceOnChanges: ["*"] },
    );
    new k8s.apiextensions.CustomResource(
      name,
      {
        ...linkVersion,
        metadata: linkMetadata(spec.target, namespaces),
        spec: access.facts.apply((facts) =>
          linkManifestSpec(spec, facts, namespaces, args.mirroring),
        ),
      },
      // Linkerd's controller reads its Secret when the Link changes.
      { ...inSource, dependsOn: [mirror, destination] },
    );
    this.registerOutputs({});
  }
}

function secretArgs(head: SecretHead<pulumi.Output<string>>, spec: LinkSpec, access: LinkAccount) {
  const kubeconfig = pulumi.all([access.facts, access.token]).apply(([facts, token]) =>
    kubeconfigFor({
      ...serverOf(facts),
      ...{ token, cluster: spec.target, user: access.account },
    }),
  );
  return { ...head, data: { kubeconfig: base64(kubeconfig) } };
}

function serverOf({ server, certificateAuthority, tlsServerName }: Facts) {
  return {
    server,
    ...(certificateAuthority !== undefined && { certificateAuthority }),
    ...(tlsServerName !== undefined && { tlsServerName }),
  };
}

type Facts = pulumi.Unwrap<LinkAccount["facts"]>;
