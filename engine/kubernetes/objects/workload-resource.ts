import {
  anything,
  type Check,
  flag,
  list,
  map,
  type Of,
  shared,
  text,
  wholeNumber,
} from "./checks.ts";
import * as objects from "./objects.ts";

const { anyText, count, object, word } = objects;

const environment = list(map({ name: anyText, value: anyText }, ["name"]));
const containers = shared(list(map({ name: anyText, env: environment }, ["name"])));
const containerState = map({
  running: map({ startedAt: anyText }),
  terminated: map({ exitCode: wholeNumber(-(2 ** 31), 2 ** 31), message: anyText }),
  waiting: map({ reason: anyText, message: anyText }),
});
const containerStatuses = list(
  map({ name: anyText, ready: flag, restartCount: count, state: containerState }, ["name"]),
);

const owners = shared(
  list(map({ kind: word, name: objects.dnsName, uid: word, controller: flag }, ["kind", "name"])),
);
const generation = wholeNumber(0, Number.MAX_SAFE_INTEGER);
const ownedMetadata = map(
  {
    name: objects.dnsName,
    namespace: objects.dnsLabel,
    ...objects.anyMetadata,
    generation,
    ownerReferences: owners,
  },
  ["name", "namespace"],
);
export type OwnedMeta = Of<typeof ownedMetadata>;

function owned<const F extends Parameters<typeof object>[0]>(fields: F) {
  return map({ metadata: ownedMetadata, ...fields }, ["metadata"]);
}

export const pod = owned({
  spec: map({ containers, initContainers: containers, enableServiceLinks: flag }),
  status: map({
    phase: anyText,
    reason: anyText,
    containerStatuses,
    initContainerStatuses: containerStatuses,
  }),
});
export type Pod = Of<typeof pod>;

const operator = text("an operator", (value) =>
  /^(In|NotIn|Exists|DoesNotExist)$/.test(value),
) as Check<"In" | "NotIn" | "Exists" | "DoesNotExist">;
const requirement = map({ key: anyText, operator, values: list(anyText) }, ["key", "operator"]);
const selector = map({ matchLabels: objects.labels, matchExpressions: list(requirement) });
export type PodSelector = Of<typeof selector>;

const template = map({
  metadata: map({ annotations: objects.anyMetadata.annotations }),
  spec: map({ containers, initContainers: containers }),
});
const condition = map({ type: word, status: word, reason: word }, ["type", "status"]);
const rollingUpdate = map({ partition: count });

export const deployment = owned({
  spec: map({ replicas: count, paused: flag, selector, template }),
  status: map({
    observedGeneration: generation,
    replicas: count,
    updatedReplicas: count,
    readyReplicas: count,
    availableReplicas: count,
    conditions: list(condition),
  }),
});

export type Deployment = Of<typeof deployment>;

/** Pods are numbered from `start`, which is 0 by default; `replicas` is 1 by default. */
export const statefulSet = owned({
  spec: map({
    serviceName: anyText,
    replicas: count,
    ordinals: map({ start: count }),
    updateStrategy: map({ type: word, rollingUpdate }),
    selector,
    template,
  }),
  status: map({
    observedGeneration: generation,
    replicas: count,
    updatedReplicas: count,
    readyReplicas: count,
    currentRevision: anyText,
    updateRevision: anyText,
  }),
});
export type StatefulSet = Of<typeof statefulSet>;

export const daemonSet = owned({
  spec: map({ updateStrategy: map({ type: word }), selector, template }),
  status: map({
    observedGeneration: generation,
    desiredNumberScheduled: count,
    updatedNumberScheduled: count,
    numberAvailable: count,
  }),
});

export type DaemonSet = Of<typeof daemonSet>;

export const replicaSet = owned({ spec: anything });

export const budget = object({
  spec: map({ selector }),
  status: map({ disruptionsAllowed: count }),
});
export type Budget = Of<typeof budget>;
