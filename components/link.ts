import * as pulumi from "@pulumi/pulumi";
import { base64, everything, forceAnnotation, takenOver } from "./cluster-provider.ts";
import {
  credentialsSecrets,
  discoveryAnnotation,
  kubeconfigFor,
  linkManifestSpec,
  linkMetadata,
  linkVersion,
} from "@linkerd-multicluster/engine/credentials";
import type { ObservedGateway } from "@linkerd-multicluster/engine/mirroring";
import { listed } from "@linkerd-multicluster/engine/base";
import { LinkAccount, type LinkArgs } from "./link-account.ts";
import { valueOf } from "./output-value.ts";
import { Prober } from "./prober.ts";
import { k8s } from "./sdks.ts";

/**
 * Creates a link's objects in the source. Mirrors depend on them, because the destination controller never retries a
 * cluster that it didn't know when a mirror appeared (linkerd-behaviour.md 5).
 */
export class LinkCredentials extends pulumi.ComponentResource {
  /** A value that changes with the source's credentials, and is no secret. */
  readonly revision: pulumi.Output<readonly string[]>;
  /** The Link depends on everything else of the link, in both clusters. */
  readonly last: pulumi.CustomResource;

  constructor(
    name: string,
    { spec, mirroring, adopt, owner, source: { provider, unreachable }, namespaces }: LinkArgs,
    account: LinkAccount,
    opts: pulumi.ComponentResourceOptions,
  ) {
    super("linkerd-multicluster:index:LinkCredentials", name, {}, opts);
    this.revision = account.facts.apply(({ server, token }) => [server, token]);
    // Pulumi lifts the facts' fields, so that all but the domains are known in every preview.
    const heads = credentialsSecrets(spec.target, account.facts, namespaces);
    // Nothing gets an unchecked token.
    const ignoreChanges = unreachable ? everything : [];
    const inSource = { parent: this, provider, dependsOn: account.checked, ignoreChanges };
    const kubeconfig = pulumi
      .all([account.facts, account.token])
      .apply(([facts, token]) =>
        kubeconfigFor({ ...facts, token, cluster: spec.target, user: account.account }),
      );
    const data = { kubeconfig: base64(kubeconfig) };
    const mirror = new k8s.core.v1.Secret(
      `${name}/mirror`,
      { ...heads.mirror, metadata: takenOver(heads.mirror.metadata, adopt), data },
      inSource,
    );
    const { annotations = {}, ...metadata } = heads.destination.metadata;
    // Without the rights the controller gives up on the target, so a change of rights replaces the Secret.
    const discovery = { [discoveryAnnotation]: account.discovery.apply(String) };
    const destination = new k8s.core.v1.Secret(
      `${name}/destination`,
      {
        ...heads.destination,
        data,
        metadata: takenOver({ ...metadata, annotations: { ...annotations, ...discovery } }, adopt),
      },
      // The destination controller only notices Secrets that appear and disappear (5).
      {
        ...inSource,
        ignoreChanges: unreachable ? everything : [forceAnnotation],
        deleteBeforeReplace: true,
        replaceOnChanges: ["*"],
      },
    );
    this.last = new k8s.apiextensions.CustomResource(
      name,
      {
        ...linkVersion,
        metadata: takenOver(linkMetadata(spec.target, namespaces, owner), adopt),
        spec: account.facts.apply((facts) => linkManifestSpec(spec, facts, namespaces, mirroring)),
      },
      // Linkerd's controller reads its Secret only when the Link changes.
      { ...inSource, dependsOn: [mirror, destination] },
    );
    this.registerOutputs({});
  }
}

export class Link extends pulumi.ComponentResource {
  /** The link's key, such as `east/west`. */
  readonly name: string;
  readonly source: string;
  readonly target: string;
  readonly credentials: LinkCredentials;
  /** The gateway, with unresolved addresses. Unknown until the gateway exists, because undefined means a flat network. */
  readonly observedGateway: pulumi.Output<ObservedGateway | undefined>;
  /** Linkerd's tools look in vain for what mirrors it. */
  readonly lacksController: boolean;
  /** Comes after all that the mesh needs more. */
  readonly makeProber: (dependsOn: Promise<pulumi.Resource[]>) => Prober | undefined;

  constructor(name: string, args: LinkArgs, opts?: pulumi.ComponentResourceOptions) {
    super("linkerd-multicluster:index:Link", name, {}, opts);
    this.name = name;
    this.source = args.spec.source;
    this.target = args.spec.target;
    const { source, target, revocation } = args;
    const account = new LinkAccount(name, args, { parent: this, dependsOn: [target.ready] });
    this.credentials = new LinkCredentials(name, args, account, {
      parent: this,
      dependsOn: [source.ready, ...revocation],
    });
    this.observedGateway = account.facts.apply(({ gateway }) => {
      if (gateway === undefined) return undefined;
      const { addresses, port, identity } = gateway;
      return { addresses, port, identity };
    });
    const { prober } = args.spec;
    this.lacksController = args.mirroring === "pulumi" && prober === false;
    this.makeProber = (dependsOn) =>
      prober === false
        ? undefined
        : new Prober(name, args, account.facts, this.credentials.last, { parent: this, dependsOn });
    this.registerOutputs({});
  }
}

/** Tells in the preview of new links what Linkerd's tools will say of them. */
export async function announceChecks(
  links: readonly Link[],
  parent: pulumi.Resource,
): Promise<void> {
  if (!pulumi.runtime.isDryRun()) return;
  const found = links
    .filter(({ lacksController }) => lacksController)
    .map(async ({ name, credentials }) =>
      (await valueOf(credentials.last.id)) === undefined ? [name] : [],
    );
  const names = (await Promise.all(found)).flat();
  if (names.length > 0)
    await pulumi.log.info(
      `linkerd check will look for a controller of ${listed(names, 3)} for five minutes, and then fail, because this program mirrors instead: set prober on the link, or run linkerd check --wait 10s (docs/reference/linkerd-cli.md)`,
      parent,
    );
}
