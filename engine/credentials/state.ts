import type { ApiServer } from "../kubernetes/client/connect.ts";
import type { ClusterAccess } from "../kubernetes/kubeconfig/kubeconfig.ts";
import type { GatewayFacts, Probe } from "../model/gateway.ts";
import type { GatewaySource, LabelSelector, LinkSpec } from "../model/link.ts";

export interface TokenRotation {
  /** The first is 1; a change rotates the token. */
  readonly generation: number;
  /** Absent only in state of earlier versions. */
  readonly maxAgeDays?: number;
}

export interface TargetArgs {
  readonly source: string;
  readonly target: string;
  readonly access: ClusterAccess;
  /** The source's own addresses can't be a gateway's. */
  readonly sourceAccess?: ClusterAccess;
  /** The source can't get a new token in this run. */
  readonly sourceUnreachable?: true;
  /** This run ignores the target for this reason; its previous facts stay. */
  readonly targetRefused?: string;
  /** The source reaches the target's API server at this https URL, if it isn't the kubeconfig's. */
  readonly apiServer?: string;
  /** Another stack installs Linkerd in the target, perhaps at this moment. */
  readonly awaited?: true;
  readonly targetDomain: string;
  readonly gateway: GatewaySource | false;
  /** The source watches the pods of Services that these select. They are absent if the target isn't asked. */
  readonly discoverySelectors?: readonly LabelSelector[];
  readonly linkerdNamespace: string;
  readonly multiclusterNamespace: string;
  readonly rotation: TokenRotation;
  readonly adopt?: AdoptedLink;
}

/** An existing Link is compared with these settings of the config. */
export interface AdoptedLink {
  readonly spec: LinkSpec;
  readonly mirroring: "pulumi" | "controller";
  /** Absent in state of earlier versions. */
  readonly owner?: string;
}

export interface LinkGateway extends GatewayFacts {
  /** Absent if the gateway Service defines no probe, or doesn't exist. */
  readonly probe?: Probe;
}

/** A link's credentials and Link resource need these facts of its target. Nothing is secret. */
export interface TargetFacts extends ApiServer {
  readonly trustDomain: string;
  readonly clusterDomain: string;
  readonly gateway?: LinkGateway;
  /** The target has Services that `discoverySelectors` select; it is absent if the target wasn't asked. */
  readonly discovers?: boolean;
  readonly token: string;
}

export interface TargetInputs extends TargetArgs {
  /** The update reads facts that `check` has not found. */
  readonly facts?: TargetFacts;
  /** Why the token will be replaced, or why the facts are those of an earlier run. */
  readonly remark?: string;
}

/** Pulumi takes lists of this type. */
export interface PolicyRule {
  readonly apiGroups: string[];
  readonly resources: string[];
  readonly verbs: string[];
  readonly resourceNames?: string[];
}

export interface RevocationTarget extends ClusterAccess {
  /** The UID of `kube-system` is absent if it couldn't be read in this run. */
  readonly uid?: string;
}

export interface RevocationArgs {
  readonly source: string;
  /** Nothing may contact the cluster; otherwise, only its access to these targets is revoked. */
  readonly isolated: boolean;
  /** There are none with `manage: mirrors`, which gives no access. */
  readonly targets: Readonly<Record<string, RevocationTarget>>;
  readonly namespace: string;
}

export interface RevocationInputs extends RevocationArgs {
  /** The remaining objects of each target are absent once there are none. */
  readonly deletes?: Readonly<Record<string, string>>;
  /** Each run that has something to delete increases it, and `diff` compares it. */
  readonly revision: number;
}

/** The token itself is read from its Secret. */
export interface TokenCheckArgs {
  readonly target: string;
  readonly access: ClusterAccess;
  readonly namespace: string;
  readonly account: string;
  readonly secret: string;
  readonly rules: readonly PolicyRule[];
}
