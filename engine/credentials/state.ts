import type { ApiServer } from "../kubernetes/client/connect.ts";
import type { ClusterAccess } from "../kubernetes/kubeconfig/kubeconfig.ts";
import type { GatewayFacts, Probe } from "../mirroring/model/gateway.ts";
import type { GatewaySource, LabelSelector } from "../mirroring/model/link.ts";

/** When a link's token is replaced by a new one. */
export interface TokenRotation {
  /** From 1 up; a change of it rotates the token. */
  readonly generation: number;
  /** Days after which the next run replaces the token; absent only in state of earlier versions. */
  readonly maxAgeDays?: number;
}

/** What the program knows about a link's target; the rest is read there. Holds no credential. */
export interface TargetArgs {
  /** The consumer: the cluster that gets access to the target. */
  readonly source: string;
  readonly target: string;
  readonly access: ClusterAccess;
  /** How the runner reaches the source, whose own addresses are no gateway's. */
  readonly sourceAccess?: ClusterAccess;
  /** Set where the source can't be given a new token in this run. */
  readonly sourceUnreachable?: true;
  /** Why this run does not go by what the target says: what is known of it stays. */
  readonly targetRefused?: string;
  /** https URL at which the source reaches the target's API server, if not the kubeconfig's. */
  readonly apiServer?: string;
  /** Another stack installs Linkerd in the target, perhaps at this moment. */
  readonly awaited?: true;
  /** The target's cluster domain as the stack config has it. */
  readonly targetDomain: string;
  readonly gateway: GatewaySource | false;
  /** Of Services whose pods the source watches; absent: none are, or the target is not asked. */
  readonly discoverySelectors?: readonly LabelSelector[];
  readonly linkerdNamespace: string;
  readonly multiclusterNamespace: string;
  readonly rotation: TokenRotation;
}

/** The gateway as the Link resource names it. */
export interface LinkGateway extends GatewayFacts {
  /** Absent: the gateway Service says nothing of a probe, or there is no such Service. */
  readonly probe?: Probe;
}

/** Everything that a link's credentials and Link resource need of the target. Nothing is secret. */
export interface TargetFacts extends ApiServer {
  readonly trustDomain: string;
  readonly clusterDomain: string;
  /** Absent on a flat network. */
  readonly gateway?: LinkGateway;
  /** Whether the target has Services that `discoverySelectors` select; absent where it was not asked. */
  readonly discovers?: boolean;
  /** Name of the token Secret in use after this run. */
  readonly token: string;
}

/** The inputs as `check` returns them; without `facts` the update reads those. */
export interface TargetInputs extends TargetArgs {
  readonly facts?: TargetFacts;
  /** Why there is going to be a new token, or why the facts are those of an earlier run. */
  readonly remark?: string;
}

export interface TargetOutputs extends TargetArgs {
  readonly facts: TargetFacts;
}

/** One rule of RBAC, in the shape of the API's JSON. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** A cluster in which an account is revoked. */
export interface RevocationTarget extends ClusterAccess {
  /** UID of its `kube-system` as read in this run; absent where it could not be. */
  readonly uid?: string;
}

/** A cluster that loses its access to others. Holds no credential. */
export interface RevocationArgs {
  readonly source: string;
  /** All of the cluster is revoked, and nothing may contact it; else only its access to these targets. */
  readonly isolated: boolean;
  /** By name; none with `manage: mirrors`, which gives no access. */
  readonly targets: Readonly<Record<string, RevocationTarget>>;
  /** Of the service account. */
  readonly namespace: string;
}

/** The inputs as `check` returns them. */
export interface RevocationInputs extends RevocationArgs {
  /** By target: the objects that there still are; absent once there are none. */
  readonly deletes?: Readonly<Record<string, string>>;
  /** Incremented by each run that has something to delete; `diff` compares it. */
  readonly revision: number;
}

/** Which token to try, by reference: the token itself is read from its Secret. */
export interface TokenCheckArgs {
  readonly target: string;
  readonly access: ClusterAccess;
  readonly namespace: string;
  readonly account: string;
  /** Name of the token Secret. */
  readonly secret: string;
  /** What the token must be allowed to do. */
  readonly rules: readonly PolicyRule[];
}
