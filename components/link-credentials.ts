import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { base64, everything } from "./cluster-provider.ts";
import {
  credentialsSecrets,
  discoveryAnnotation,
  kubeconfigFor,
  linkManifestSpec,
  linkMetadata,
  linkVersion,
  type Namespaces,
} from "@linkerd-multicluster/engine/credentials";
import type { LinkConfig } from "../config/mesh.ts";
import type { LinkAccount, LinkEnd } from "./link-account.ts";

export interface LinkCredentialsArgs extends Pick<LinkConfig, "spec" | "mirroring"> {
  readonly account: LinkAccount;
  readonly source: Pick<LinkEnd, "provider" | "unreachable">;
  readonly namespaces: Namespaces;
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
    const { spec, account, namespaces } = args;
    const { provider, unreachable } = args.source;
    this.revision = account.facts.apply(({ server, token }) => [server, token]);
    // Pulumi lifts the facts' fields, so that all but the domains is known in every preview.
    const heads = credentialsSecrets(spec.target, account.facts, namespaces);
    // Nothing gets a token that has not been checked.
    const ignoreChanges = unreachable ? everything : [];
    const inSource = { parent: this, provider, dependsOn: account.checked, ignoreChanges };
    const kubeconfig = pulumi
      .all([account.facts, account.token])
      .apply(([facts, token]) =>
        kubeconfigFor({ ...facts, token, cluster: spec.target, user: account.account }),
      );
    const data = { kubeconfig: base64(kubeconfig) };
    const mirror = new k8s.core.v1.Secret(`${name}/mirror`, { ...heads.mirror, data }, inSource);
    const { annotations = {}, ...metadata } = heads.destination.metadata;
    // Without the rights the controller gives up on the target: a change replaces the Secret.
    const discovery = { [discoveryAnnotation]: account.discovery.apply(String) };
    const destination = new k8s.core.v1.Secret(
      `${name}/destination`,
      {
        ...heads.destination,
        data,
        metadata: { ...metadata, annotations: { ...annotations, ...discovery } },
      },
      // The destination controller sees Secrets come and go and nothing else (5).
      { ...inSource, deleteBeforeReplace: true, replaceOnChanges: ["*"] },
    );
    new k8s.apiextensions.CustomResource(
      name,
      {
        ...linkVersion,
        metadata: linkMetadata(spec.target, namespaces),
        spec: account.facts.apply((facts) =>
          linkManifestSpec(spec, facts, namespaces, args.mirroring),
        ),
      },
      // Linkerd's controller reads its Secret when the Link changes.
      { ...inSource, dependsOn: [mirror, destination] },
    );
    this.registerOutputs({});
  }
}
