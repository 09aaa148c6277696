import type { ApiServer } from "../kubernetes/client/connect.ts";
import type { ClusterAccess } from "../kubernetes/kubeconfig/kubeconfig.ts";
import type { GatewayFacts, Probe } from "../mirroring/model/gateway.ts";
import type { GatewaySource, LabelSelector, LinkSpec } from "../mirroring/model/link.ts";

/** The schedule by which a link's token is replaced. */
export interface TokenRotation {
  /** A number from 1; a change rotates the token. */
  readonly generation: number;
  /** Days after which the next run replaces the token; absent only in state of earlier versions. */
  readonly maxAgeDays?: number;
}

/** These arguments for reading a link's target contain no credential. */
export interface TargetArgs {
  /** The cluster that gets access to the target. */
  readonly source: string;
  readonly target: string;
  readonly access: ClusterAccess;
  /** The runner's access to the source, whose own addresses can't be a gateway's. */
  readonly sourceAccess?: ClusterAccess;
  /** Set if the source can't get a new token in this run. */
  readonly sourceUnreachable?: true;
  /** Why this run ignores the target, whose previous facts stay. */
  readonly targetRefused?: string;
  /** The https URL at which the source reaches the target's API server, if it isn't the kubeconfig's. */
  readonly apiServer?: string;
  /** Whether another stack installs Linkerd in the target, perhaps at this moment. */
  readonly awaited?: true;
  readonly targetDomain: string;
  readonly gateway: GatewaySource | false;
  /** Selectors of Services whose pods the source watches; absent if there are none or the target isn't asked. */
  readonly discoverySelectors?: readonly LabelSelector[];
  readonly linkerdNamespace: string;
  readonly multiclusterNamespace: string;
  readonly rotation: TokenRotation;
  /** Set if the link takes over objects that exist already. */
  readonly adopt?: AdoptedLink;
}

/** The settings by which an existing Link is compared with the config. */
export interface AdoptedLink {
  readonly spec: LinkSpec;
  readonly mirroring: "pulumi" | "controller";
}

export interface LinkGateway extends GatewayFacts {
  /** Absent if the gateway Service defines no probe, or doesn't exist. */
  readonly probe?: Probe;
}

/** The facts of a target that a link's credentials and Link resource need. Nothing is secret. */
export interface TargetFacts extends ApiServer {
  readonly trustDomain: string;
  readonly clusterDomain: string;
  readonly gateway?: LinkGateway;
  /** Whether the target has Services that `discoverySelectors` select; absent if it wasn't asked. */
  readonly discovers?: boolean;
  /** The token Secret in use after this run. */
  readonly token: string;
}

/** The inputs as `check` returns them; if `facts` is absent, the update reads them. */
export interface TargetInputs extends TargetArgs {
  readonly facts?: TargetFacts;
  /** Why the token will be replaced, or why the facts are those of an earlier run. */
  readonly remark?: string;
}

export interface TargetOutputs extends TargetArgs {
  readonly facts: TargetFacts;
}

/** An RBAC rule in the shape of the API's JSON, with lists of the type that Pulumi takes. */
export interface PolicyRule {
  readonly apiGroups: string[];
  readonly resources: string[];
  readonly verbs: string[];
  readonly resourceNames?: string[];
}

export interface RevocationTarget extends ClusterAccess {
  /** The UID of `kube-system` as read in this run; absent if it couldn't be read. */
  readonly uid?: string;
}

/** These arguments of a cluster that loses its access to others contain no credential. */
export interface RevocationArgs {
  readonly source: string;
  /**
   * Whether the whole cluster is revoked, so that nothing may contact it; otherwise only its access to these targets.
   */
  readonly isolated: boolean;
  /** Targets by name; none with `manage: mirrors`, which gives no access. */
  readonly targets: Readonly<Record<string, RevocationTarget>>;
  readonly namespace: string;
}

export interface RevocationInputs extends RevocationArgs {
  /** Remaining objects by target; absent once there are none. */
  readonly deletes?: Readonly<Record<string, string>>;
  /** Increased by each run that has something to delete; `diff` compares it. */
  readonly revision: number;
}

/** The token to try, by reference: the token itself is read from its Secret. */
export interface TokenCheckArgs {
  readonly target: string;
  readonly access: ClusterAccess;
  readonly namespace: string;
  readonly account: string;
  readonly secret: string;
  /** The rules that the token must have. */
  readonly rules: readonly PolicyRule[];
}
