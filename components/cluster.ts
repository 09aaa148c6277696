import { createHash } from "node:crypto";
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { ChartName } from "../config/keys.ts";
import type { ChartsConfig, ClusterConfig, HelmValues } from "../config/mesh.ts";
import type { KeyPair } from "./trust/generation.ts";
import { issuerName } from "@linkerd-multicluster/engine/trust";
import { type Chart, chartFrom } from "./charts/chart.ts";
import { ClusterIdentity } from "./engine-resources.ts";
import { base64, clusterProvider, everything } from "./cluster-provider.ts";
import {
  type ClusterRole,
  controlPlaneValues,
  crdsValues,
  linkerdNamespace,
  mergeValues,
  multiclusterNamespace,
  multiclusterValues,
} from "./charts/values.ts";

/** The state of a cluster at the start of a run. */
export interface SeenCluster {
  /** UID of `kube-system`; undefined where it could not be read. */
  readonly uid: string | undefined;
  /** Whether it could not be read at all: what exists there stays as it is. */
  readonly unreachable: boolean;
}

export interface ClusterSetup extends SeenCluster {
  readonly config: ClusterConfig;
  readonly role: ClusterRole;
  readonly linkerdNamespace: string;
  readonly multiclusterNamespace: string;
  readonly charts: ChartsConfig;
  /** Absent where others provide both, and the namespace that they are in. */
  readonly trust?: {
    /** PEM of the anchors that the cluster is to trust. */
    readonly bundlePem: pulumi.Input<string>;
    readonly issuer: KeyPair;
  };
  /**
   * Whether what the cluster trusts could not be read. If Linkerd runs there, its values and its issuer
   * then stay as they are: the cluster may trust more than is known here.
   */
  readonly trustUnread?: boolean;
  /** Whether some of the user's values are secrets, so that all of them are treated as such. */
  readonly secretValues?: boolean;
  /** The claim that comes before anything is written to it, where other stacks have other clusters. */
  readonly claim?: pulumi.Resource | undefined;
}

/** Linkerd and its multicluster extension on one cluster, and the provider that reaches it. */
export class Cluster extends pulumi.ComponentResource {
  /** Refuses another cluster than before; what does not use `provider` depends on it. */
  readonly identity: ClusterIdentity;
  readonly provider: k8s.Provider;
  /** The resource to depend on where Linkerd and the Link CRD have to be installed. */
  readonly ready: pulumi.Resource;
  readonly unreachable: boolean;
  /** Revisions of the charts, as Helm counts them, and which issuer there is. */
  readonly revision: pulumi.Output<readonly (number | string)[]>;
  readonly gatewayEnabled: boolean;
  readonly trustBundle: pulumi.Output<string> | undefined;
  readonly #name: string;
  readonly #args: ClusterSetup;
  readonly #charts: Readonly<Record<ChartName, Chart>>;

  constructor(name: string, args: ClusterSetup, opts?: pulumi.ComponentResourceOptions) {
    super("linkerd-multicluster:index:Cluster", name, {}, opts);
    this.#name = name;
    this.#args = args;
    const { charts, config, role, uid, claim } = args;
    // First, so that a chart that does not exist fails before anything is registered.
    this.#charts = {
      "linkerd-crds": chartFrom(charts, "linkerd-crds"),
      "linkerd-control-plane": chartFrom(charts, "linkerd-control-plane"),
      "linkerd-multicluster": chartFrom(charts, "linkerd-multicluster"),
    };
    this.identity = new ClusterIdentity(name, config, uid, { parent: this });
    this.provider = clusterProvider(name, config, {
      parent: this,
      dependsOn: [this.identity, ...(claim === undefined ? [] : [claim])],
    });
    this.trustBundle = args.trust && pulumi.output(args.trust.bundlePem);
    this.gatewayEnabled = role.gateway !== undefined;
    this.unreachable = args.unreachable;
    const releases = this.#install();
    this.ready = releases.multicluster;
    const installed = pulumi.all(Object.values(releases).map(({ status }) => status.revision));
    this.revision = pulumi
      .all([installed, args.trust?.issuer.certPem])
      .apply(([revisions, pem]) => [
        ...revisions,
        ...(pem === undefined ? [] : [fingerprint(pem)]),
      ]);
    const { gatewayEnabled, trustBundle } = this;
    this.registerOutputs({ gatewayEnabled, trustBundle });
  }

  /** Installs the charts in the order in which each needs the ones before it. */
  #install(): Record<"crds" | "controlPlane" | "multicluster", k8s.helm.v3.Release> {
    const { config, role, ...args } = this.#args;
    const { values, trustDomain, gatewayApi } = config;
    const users = values["linkerd-control-plane"];
    const linkerd =
      args.trust &&
      this.#namespace(
        "linkerd",
        args.linkerdNamespace,
        linkerdNamespace(args.linkerdNamespace, users),
      );
    const home = { name: args.linkerdNamespace, resource: linkerd };
    const extension = this.#namespace(
      "multicluster",
      args.multiclusterNamespace,
      multiclusterNamespace(users),
    );
    const crds = this.#release("linkerd-crds", home, crdsValues(gatewayApi), []);
    const issuer = linkerd && args.trust && this.#issuerSecret(linkerd, args.trust);
    const controlPlane = this.#release(
      "linkerd-control-plane",
      home,
      this.trustBundle === undefined
        ? controlPlaneValues(config, true)
        : { ...controlPlaneValues(config), identityTrustAnchorsPEM: this.trustBundle },
      issuer === undefined ? [crds] : [crds, issuer],
    );
    const settings = { ...role, trustDomain, linkerdNamespace: args.linkerdNamespace };
    const multicluster = this.#release(
      "linkerd-multicluster",
      { name: args.multiclusterNamespace, resource: extension },
      multiclusterValues(settings),
      [controlPlane],
    );
    return { crds, controlPlane, multicluster };
  }

  #namespace(part: string, namespace: string, metadata: pulumi.Inputs): k8s.core.v1.Namespace {
    const args = { metadata: { name: namespace, ...metadata } };
    return new k8s.core.v1.Namespace(`${this.#name}-${part}`, args, this.#own());
  }

  /** The issuer in the scheme kubernetes.io/tls (linkerd-behaviour.md 9.2); `linkerd check` reads `ca.crt`. */
  #issuerSecret(
    namespace: k8s.core.v1.Namespace,
    { issuer, bundlePem }: NonNullable<ClusterSetup["trust"]>,
  ): k8s.core.v1.Secret {
    const { linkerdNamespace: own } = this.#args;
    return new k8s.core.v1.Secret(
      `${this.#name}-issuer`,
      {
        metadata: {
          name: issuerName,
          namespace: namespace.metadata.name,
          labels: {
            "linkerd.io/control-plane-component": "identity",
            "linkerd.io/control-plane-ns": own,
          },
        },
        type: "kubernetes.io/tls",
        data: {
          "tls.crt": base64(issuer.certPem),
          "tls.key": base64(pulumi.secret(issuer.keyPem)),
          "ca.crt": base64(pulumi.output(bundlePem)),
        },
      },
      this.#own(this.#args.trustUnread === true ? ["data"] : []),
    );
  }

  /**
   * A Release and not a Chart: the chart makes new webhook certificates whenever it is rendered,
   * and a Release is rendered only when something changes. Helm does not wait for one with a
   * gateway, since it could not say which Service gets no address: a link through it does (LinkTarget).
   */
  #release(
    chart: ChartName,
    namespace: Home,
    values: HelmValues,
    needs: readonly pulumi.Resource[],
  ): k8s.helm.v3.Release {
    const { charts, config, role, secretValues = false, trustUnread = false } = this.#args;
    const merged = mergeValues(values, config.values[chart] ?? {});
    return new k8s.helm.v3.Release(
      `${this.#name}-${chart}`,
      {
        ...this.#charts[chart],
        name: chart,
        namespace: namespace.resource?.metadata.name ?? namespace.name,
        values: secretValues ? pulumi.secret(merged) : merged,
        timeout: charts.timeoutSeconds,
        skipAwait: chart === "linkerd-multicluster" && role.gateway !== undefined,
      },
      {
        ...this.#own(trustUnread && chart === "linkerd-control-plane" ? ["values"] : []),
        dependsOn: [...(namespace.resource === undefined ? [] : [namespace.resource]), ...needs],
      },
    );
  }

  /** @param kept of what exists, the inputs that stay as they are where the cluster can be reached */
  #own(kept: readonly string[] = []): pulumi.CustomResourceOptions {
    const ignoreChanges = [...(this.unreachable ? everything : kept)];
    return { parent: this, provider: this.provider, ignoreChanges };
  }
}

/** The namespace of a release; without a resource where somebody else has made it. */
interface Home {
  readonly name: string;
  readonly resource?: k8s.core.v1.Namespace | undefined;
}

function fingerprint(pem: string): string {
  return createHash("sha256").update(pem).digest("hex").slice(0, 12);
}
