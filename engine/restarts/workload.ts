import type { StringMap } from "../kubernetes/objects/objects.ts";
import type {
  Budget,
  DaemonSet,
  Deployment,
  PodSelector,
  StatefulSet,
} from "../kubernetes/objects/workload-resource.ts";
import { selects } from "../model/selection.ts";
import { omitUndefined } from "../base/omit-undefined.ts";
import { proxyIn } from "../trust/proxy.ts";

export type WorkloadKind = "Deployment" | "StatefulSet" | "DaemonSet";

/** `kubectl rollout restart` sets it on the template of the pods. */
export const restartedAt = "kubectl.kubernetes.io/restartedAt";

/** Control planes are restarted first and gateways last (docs/explanation/requests-during-a-run.md). */
export type Rank = "identity" | "injector" | "controlPlane" | "workload" | "gateway";

export interface Workload {
  readonly kind: WorkloadKind;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly rank: Rank;
  readonly selector: PodSelector;
  readonly rollout: Rollout;
  readonly restartedAt?: Date;
  /** Says why a restart would do nothing, or is not for this program to do. */
  readonly hindrance?: string;
}

export interface Rollout {
  /** Pods of an earlier template are left. */
  readonly isUnderWay: boolean;
  /** All pods have the template and are available. */
  readonly isDone: boolean;
  /** No pod is available. */
  readonly isDown: boolean;
  /** Kubernetes has given up. */
  readonly isStuck: boolean;
  readonly progress: string;
}

type Object = Deployment | StatefulSet | DaemonSet;

export function deploymentOf(object: Deployment, linkerdNamespace: string): Workload {
  const { spec = {}, status = {} } = object;
  const { updatedReplicas: updated = 0, availableReplicas: available = 0, conditions } = status;
  const isStuck =
    isObserved(object) && conditions?.some(({ reason }) => reason === "ProgressDeadlineExceeded");
  const counts = { wanted: spec.replicas ?? 1, total: status.replicas ?? 0, updated, available };
  const paused = spec.paused === true ? "its rollout is paused" : undefined;
  return workloadOf("Deployment", object, linkerdNamespace, counts, { paused, isStuck });
}

export function statefulSetOf(object: StatefulSet, linkerdNamespace: string): Workload {
  const { spec = {}, status = {} } = object;
  const { type, rollingUpdate: { partition = 0 } = {} } = spec.updateStrategy ?? {};
  const { replicas: wanted = 1 } = spec;
  // Kubernetes counts the pods of an update only while it lasts.
  const isOver = status.currentRevision === status.updateRevision;
  const updated = isOver ? wanted : (status.updatedReplicas ?? 0);
  const counts = { wanted, total: wanted, updated, available: status.readyReplicas ?? 0, isOver };
  const paused = partition > 0 ? "its update strategy has a partition" : onDelete(type);
  return workloadOf("StatefulSet", object, linkerdNamespace, counts, { paused });
}

export function daemonSetOf(object: DaemonSet, linkerdNamespace: string): Workload {
  const { status = {} } = object;
  const { desiredNumberScheduled: wanted = 0, updatedNumberScheduled: updated = 0 } = status;
  const counts = { wanted, total: wanted, updated, available: status.numberAvailable ?? 0 };
  const paused = onDelete(object.spec?.updateStrategy?.type);
  return workloadOf("DaemonSet", object, linkerdNamespace, counts, { paused });
}

function onDelete(type: string | undefined): string | undefined {
  return type === "OnDelete" ? "its update strategy is OnDelete" : undefined;
}

interface Counts {
  readonly wanted: number;
  readonly total: number;
  readonly updated: number;
  readonly available: number;
  readonly isOver?: boolean;
}

function workloadOf(
  kind: WorkloadKind,
  object: Object,
  linkerdNamespace: string,
  { wanted, total, updated, available, isOver = true }: Counts,
  {
    paused,
    isStuck = false,
  }: { readonly paused: string | undefined; readonly isStuck?: boolean | undefined },
): Workload {
  const { namespace, name, uid = "" } = object.metadata;
  const { selector = {}, template: { metadata: { annotations = {} } = {}, spec = {} } = {} } =
    object.spec ?? {};
  const isUnderWay = !isObserved(object) || updated < wanted || total > updated || !isOver;
  // The control plane's own templates have the proxy too, and take the bundle from the ConfigMap.
  const isManual = namespace !== linkerdNamespace && proxyIn(spec) !== undefined;
  const stamp = Date.parse(annotations[restartedAt] ?? "");
  return {
    kind,
    namespace,
    name,
    uid,
    rank: rankOf(object, linkerdNamespace),
    selector,
    rollout: {
      isUnderWay,
      isDone: !isUnderWay && available >= wanted,
      isDown: available === 0,
      isStuck,
      progress: `${updated} of ${wanted} pods updated, ${available} available`,
    },
    ...omitUndefined({
      restartedAt: Number.isNaN(stamp) ? undefined : new Date(stamp),
      hindrance: isManual
        ? "its template has the trust bundle (linkerd inject --manual): inject it again"
        : paused,
    }),
  };
}

function isObserved({ metadata, status = {} }: Object): boolean {
  return (status.observedGeneration ?? 0) >= (metadata.generation ?? 0);
}

function rankOf({ metadata }: Object, linkerdNamespace: string): Rank {
  const { namespace, name, labels = {} } = metadata;
  if (namespace === linkerdNamespace) {
    if (name === "linkerd-identity") return "identity";
    return name === "linkerd-proxy-injector" ? "injector" : "controlPlane";
  }
  const isGateway =
    labels["linkerd.io/extension"] === "multicluster" && labels["component"] === "gateway";
  return isGateway ? "gateway" : "workload";
}

/** Returns the name of a PodDisruptionBudget of these pods that allows no disruption now. */
export function exhausted(
  budgets: readonly Budget[],
  namespace: string,
  labels: StringMap | undefined,
): string | undefined {
  const found = budgets.find(({ metadata, spec, status }) => {
    const { selector } = spec ?? {};
    if (metadata.namespace !== namespace || selector === undefined) return false;
    const { matchLabels = {}, matchExpressions = [] } = selector;
    // An empty selector is for all pods of the namespace.
    const isForAll = Object.keys(matchLabels).length + matchExpressions.length === 0;
    const isItsOwn = isForAll || selects(selector, labels);
    return isItsOwn && (status?.disruptionsAllowed ?? 0) === 0;
  });
  return found?.metadata.name;
}

export function called({ kind, namespace, name }: Omit<Workload, "rollout">): string {
  return `${kind} ${namespace}/${name}`;
}
