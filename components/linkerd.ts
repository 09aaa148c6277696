import { createHash } from "node:crypto";
import type * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import {
  issuerName,
  lifetimeAnnotation,
  type LifetimeRecord,
  nextRecord,
  recordText,
} from "@linkerd-multicluster/engine/trust";
import { chartKeys, type ChartName, chartNames } from "../config/keys/chart-keys.ts";
import type { ClusterConfig, HelmValues, MeshConfig } from "../config/mesh.ts";
import { type Chart, chartFrom } from "./charts/chart.ts";
import {
  certificateLifetime,
  controlPlaneValues,
  crdsValues,
  linkerdNamespace,
  mergeValues,
  multiclusterNamespace,
  multiclusterValues,
  roleOf,
  usersValues,
} from "./charts/values.ts";
import { haValues } from "./charts/ha-values.ts";
import { base64, everything, takenOver } from "./cluster-provider.ts";
import { k8s } from "./sdks.ts";
import type { KeyPair } from "./trust/generation.ts";

export interface LinkerdSetup {
  readonly mesh: MeshConfig;
  readonly charts: LinkerdCharts;
  /** Absent if others provide both, and their namespace. */
  readonly trust?: {
    readonly bundlePem: pulumi.Output<string>;
    readonly issuer: KeyPair;
    /** The cluster's Secret has it now. */
    readonly recordedLifetime?: LifetimeRecord;
  };
  /** The trust can't be read, or a change would break traffic. A running Linkerd keeps its values and its issuer. */
  readonly trustStays: boolean;
  readonly secretValues: boolean;
}

export type LinkerdCharts = ReadonlyMap<ChartName, Chart>;

export function linkerdCharts(charts: MeshConfig["charts"]): LinkerdCharts {
  return new Map(chartNames.map((name) => [name, chartFrom(charts, name)]));
}

interface NamespaceMetadata {
  readonly labels: { [key: string]: string };
  readonly annotations?: { [key: string]: string };
}

interface Place {
  readonly config: ClusterConfig;
  readonly provider: kubernetes.Provider;
  readonly unreachable: boolean;
  readonly parent: pulumi.Resource;
}

export function installLinkerd(
  name: string,
  { mesh, charts, trust, trustStays, secretValues }: LinkerdSetup,
  { config, provider, unreachable, parent }: Place,
): {
  readonly ready: pulumi.Resource;
  /** The charts' revisions, as Helm counts them, and the issuer. */
  readonly revision: pulumi.Output<readonly (number | string)[]>;
} {
  const role = roleOf(name, mesh);
  const users = usersValues("linkerd-control-plane", mesh.charts, config);
  /** @param kept inputs stay as they are in an existing object */
  const own = (...kept: string[]): pulumi.CustomResourceOptions => {
    return { parent, provider, ignoreChanges: unreachable ? everything : kept };
  };
  const namespace = (part: string, called: string, metadata: NamespaceMetadata) => {
    const args = { metadata: takenOver({ name: called, ...metadata }, config.adopt) };
    return new k8s.core.v1.Namespace(`${name}-${part}`, args, own());
  };
  /**
   * Creates a Release and no Chart, because a chart creates new webhook certificates whenever it is rendered, and a
   * Release is rendered only when something changes. Helm doesn't wait for a gateway, since it couldn't say which
   * Service gets no address: a link through it does (LinkTarget).
   *
   * @param home is a name if somebody else has created the namespace
   */
  const release = (
    chart: ChartName,
    home: kubernetes.core.v1.Namespace | string,
    values: HelmValues,
    ...needs: readonly (pulumi.Resource | undefined)[]
  ) => {
    const { nested, values: common = {} } = mesh.charts[chartKeys[chart]];
    const ours = config.ha ? mergeValues(values, haValues[chart]) : values;
    const ofLinkerd = mergeValues(ours, usersValues(chart, mesh.charts, config));
    const merged = nested === undefined ? ofLinkerd : { ...common, [nested]: ofLinkerd };
    const made = typeof home === "string" ? [] : [home];
    const isKept = trustStays && chart === "linkerd-control-plane";
    return new k8s.helm.v3.Release(
      `${name}-${chart}`,
      {
        chart,
        ...charts.get(chart),
        name: chart,
        timeout: mesh.charts.timeoutSeconds,
        namespace: typeof home === "string" ? home : home.metadata.name,
        values: secretValues ? pulumi.secret(merged) : merged,
        skipAwait: chart === "linkerd-multicluster" && role.gateway !== undefined,
      },
      {
        ...own(...(isKept ? ["values"] : [])),
        dependsOn: [...made, ...needs.filter((each) => each !== undefined)],
      },
    );
  };

  const linkerd =
    trust &&
    namespace("linkerd", mesh.linkerdNamespace, linkerdNamespace(mesh.linkerdNamespace, users));
  const extension = namespace(
    "multicluster",
    mesh.multiclusterNamespace,
    multiclusterNamespace(users),
  );
  const home = linkerd ?? mesh.linkerdNamespace;
  const crds = release("linkerd-crds", home, crdsValues(config.gatewayApi));
  const lifetime = nextRecord(
    trust?.recordedLifetime,
    certificateLifetime(mesh.charts, config),
    new Date(),
  );
  // The scheme is kubernetes.io/tls (linkerd-behaviour.md 9.2), and `linkerd check` reads `ca.crt`.
  const issuer =
    linkerd &&
    new k8s.core.v1.Secret(
      `${name}-issuer`,
      {
        metadata: takenOver(
          {
            name: issuerName,
            namespace: linkerd.metadata.name,
            labels: {
              "linkerd.io/control-plane-component": "identity",
              "linkerd.io/control-plane-ns": mesh.linkerdNamespace,
            },
            ...(lifetime && { annotations: { [lifetimeAnnotation]: recordText(lifetime) } }),
          },
          config.adopt,
        ),
        type: "kubernetes.io/tls",
        data: {
          "tls.crt": base64(trust.issuer.certPem),
          "tls.key": base64(pulumi.secret(trust.issuer.keyPem)),
          "ca.crt": base64(trust.bundlePem),
        },
      },
      own(...(trustStays ? ["data", `metadata.annotations["${lifetimeAnnotation}"]`] : [])),
    );
  const values = controlPlaneValues(config, trust?.bundlePem);
  const controlPlane = release("linkerd-control-plane", home, values, crds, issuer);
  const ready = release(
    "linkerd-multicluster",
    extension,
    multiclusterValues(role, mesh.linkerdNamespace, config.trustDomain),
    controlPlane,
  );
  const installed = [crds, controlPlane, ready].map(({ status }) => status.revision);
  const revision = pulumi
    .all([pulumi.all(installed), trust?.issuer.certPem])
    .apply(([all, pem]) => [...all, ...(pem === undefined ? [] : [fingerprint(pem)])]);
  return { ready, revision };
}

function fingerprint(pem: string): string {
  return createHash("sha256").update(pem).digest("hex").slice(0, 12);
}
