import type {
  Condition,
  ServiceReference,
  ServiceStatus,
} from "../../kubernetes/objects/link-resource.ts";
import { objectKey, type ObjectKey } from "../../kubernetes/objects/objects.ts";

/** What one entry of a Link's status says. */
export interface Said {
  readonly remote: ObjectKey;
  /** The mirror or federated Service, if there is one. */
  readonly local?: ObjectKey;
  /** Absent: mirrored. */
  readonly problem?: { readonly reason: string; readonly sentence: string };
  /** What there is to say where there is no problem. */
  readonly note?: string;
}

/** Characters of one message, which may quote what a server has said. */
const longest = 1_024;

/** An entry in the form of Linkerd's controller (linkerd-behaviour.md 1.3). */
export function serviceStatus(
  { remote, local, problem, note = "" }: Said,
  before: ServiceStatus | undefined,
  now: Date,
): ServiceStatus {
  const message = problem?.sentence ?? note;
  const condition: Omit<Condition, "lastTransitionTime"> = {
    ...(local !== undefined && { localRef: reference(local) }),
    message: cut(message),
    reason: problem?.reason ?? "Mirrored",
    status: problem === undefined ? "True" : "False",
    type: "Mirrored",
  };
  const earlier = before?.conditions?.find(({ type }) => type === "Mirrored");
  const unchanged = earlier?.status === condition.status;
  const lastTransitionTime = unchanged
    ? earlier.lastTransitionTime
    : now.toISOString().replace(/\.\d+Z$/, "Z");
  return inOrder({
    controllerName: "linkerd.io/service-mirror",
    remoteRef: reference(remote),
    conditions: [{ ...condition, lastTransitionTime }],
  });
}

/** Never half a character, of which a server would make another one. */
function cut(message: string): string {
  if (message.length <= longest) return message;
  return `${message.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

function reference(key: ObjectKey): ServiceReference {
  const [namespace = "", name = ""] = key.split("/");
  return { group: "", kind: "Service", name, namespace };
}

export function refKey({ namespace, name }: ServiceReference): ObjectKey {
  return objectKey(namespace, name);
}

/** Fields in one order, so that equal texts mean equal entries. */
export function inOrder({
  controllerName,
  remoteRef,
  conditions = [],
}: ServiceStatus): ServiceStatus {
  return {
    controllerName,
    remoteRef: refInOrder(remoteRef),
    conditions: conditions.map(
      ({ type, status, reason, message, lastTransitionTime, localRef }) => ({
        type,
        status,
        reason,
        message,
        lastTransitionTime,
        ...(localRef !== undefined && { localRef: refInOrder(localRef) }),
      }),
    ),
  };
}

function refInOrder({ group = "", kind = "Service", name, namespace }: ServiceReference) {
  return { group, kind, name, namespace };
}
