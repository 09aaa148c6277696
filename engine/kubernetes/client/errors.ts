import { mayConcernAll } from "./breaker.ts";
import { cancelledWords } from "./deadline.ts";
import type { RequestFailure, FailureKind } from "./failure.ts";
import { printable } from "../objects/printable.ts";
import { type Cause, UserError } from "../../base/user-error.ts";
import { type ObjectName, rbacName, type Resource } from "../objects/resources.ts";

export type Verb = "list" | "watch" | "get" | "create" | "update" | "patch" | "delete";

export interface Operation {
  readonly verb: Verb;
  readonly resource: Resource<unknown>;
  readonly at: Partial<ObjectName>;
}

export interface Place {
  readonly cluster: string;
  readonly context: string;
  /** The API server's origin contains no credentials. */
  readonly server: string;
}

/** Neither the message nor any field holds a credential, and there is no `cause`, which might. */
export class KubernetesError extends UserError {
  override readonly name = "KubernetesError";
  readonly kind: FailureKind;
  readonly status: number | undefined;
  readonly reason: string | undefined;
  readonly detail: string | undefined;
  readonly absent: string | undefined;
  readonly notAttempted: string | undefined;

  constructor(place: Place, operation: Operation, failure: RequestFailure, attempts: number) {
    super(printable(sentence(place, operation, failure, attempts)));
    this.kind = failure.kind;
    this.status = failure.status;
    this.reason = failure.reason;
    this.detail = failure.detail;
    this.absent = failure.absent;
    this.notAttempted = failure.notAttempted;
  }

  /** A cluster has refused if running again will not help. A 404 may be the page of a proxy in front of it. */
  override get failure(): Cause {
    const isFinal = ["unauthorized", "forbidden", "invalid"].includes(this.kind);
    const isAnswered = this.kind === "server" && this.status !== undefined && this.status < 500;
    return isFinal || isAnswered ? "refused" : "unreachable";
  }

  /** Only a failed read proves it, since a broken admission webhook can fail one write. */
  get clusterUnavailable(): boolean {
    return mayConcernAll(this.kind);
  }
}

/** Handles a rejection of these kinds with a value to use instead, and rethrows any other. */
export function fallback<T>(value: T, ...kinds: readonly FailureKind[]): (error: unknown) => T {
  return (error) => {
    if (error instanceof KubernetesError && kinds.includes(error.kind)) return value;
    throw error;
  };
}

function sentence(
  place: Place,
  operation: Operation,
  failure: RequestFailure,
  attempts: number,
): string {
  const { cluster, context, server } = place;
  const { verb } = operation;
  const what = describe(operation);
  const said = failure.detail === undefined ? "" : `: ${failure.detail}`;
  const status = failure.status === undefined ? "" : ` (status ${failure.status})`;
  const tries = attempts > 1 ? ` after ${attempts} attempts` : "";
  if (failure.notAttempted !== undefined)
    return `${verb} ${what} was not attempted in cluster ${cluster}, because ${failure.notAttempted}; run again later`;
  switch (failure.kind) {
    case "cancelled":
      return `${cancelledWords} before cluster ${cluster} had answered the request to ${verb} ${what}; run again`;
    case "late":
      return `cluster ${cluster} is too slow to ${verb} ${what}${said}${tries}; check its API server at ${server} and the network to it`;
    case "unreachable":
      return `cluster ${cluster} can't be reached at ${server} to ${verb} ${what}${said}${tries}; check that it runs and that context ${context} has its address and certificate authority`;
    case "unauthorized":
      return failure.status === undefined
        ? `could not load the credentials of context ${context} to ${verb} ${what} in cluster ${cluster}${said}`
        : `cluster ${cluster} rejects the credentials of context ${context} when asked to ${verb} ${what}${said}; log in again or renew the kubeconfig`;
    case "forbidden":
      return forbidden(place, operation, said);
    case "notFound":
      return notFound(place, operation, said, failure.absent);
    case "alreadyExists":
      return `${what} already exists in cluster ${cluster}; run again`;
    case "conflict":
      return `${what} in cluster ${cluster} was changed by another client before this ${verb}${said}; run again`;
    case "invalid":
      return `cluster ${cluster} rejects the request to ${verb} ${what}${status}${said}; resolve this and run again`;
    case "gone":
      return `cluster ${cluster} no longer has the resource version at which to ${verb} ${what}${said}; run again`;
    case "throttled":
      return `cluster ${cluster} is overloaded and did not ${verb} ${what}${tries}${said}; run again later`;
    case "tooLong":
    case "server":
      return `cluster ${cluster} failed to ${verb} ${what}${status}${tries}${said}; check its API server at ${server}`;
  }
}

/** RBAC's message names the user. Refusals by quotas, by namespaces that are being deleted and by admission do not. */
function forbidden({ cluster, context }: Place, operation: Operation, said: string): string {
  const { verb, resource, at } = operation;
  const user = /User "([^"]*)" cannot /.exec(said)?.[1];
  // OpenShift asks for this right where Endpoints have addresses of the cluster's own networks.
  if (resource.kind === "Endpoints" && /endpoint address \S+ is not allowed/.test(said))
    return `cluster ${cluster} refuses to ${verb} ${describe(operation)}${said}; grant the runner create on endpoints/restricted, which OpenShift requires for addresses of its own networks`;
  if (user === undefined)
    return `cluster ${cluster} refuses to ${verb} ${describe(operation)}${said}; resolve this in the cluster, or give context ${context} the right, and run again`;
  const scope = at.namespace === undefined ? "" : ` in namespace ${at.namespace}`;
  return `cluster ${cluster} does not let user ${user} ${verb} ${describe(operation)}; grant ${verb} on ${rbacName(resource)}${scope}`;
}

/** A 404 that names no object is about all objects of the kind. */
function notFound(
  { cluster, server }: Place,
  operation: Operation,
  said: string,
  absent: string | undefined,
): string {
  const { verb, resource, at } = operation;
  if (absent === undefined) {
    const object = at.name === undefined ? "them" : describe(operation);
    const remedy = /(^|\.)linkerd\.io\//.test(resource.apiVersion)
      ? "install Linkerd and its multicluster extension there, with their CRDs"
      : `check what answers at ${server}`;
    return `cluster ${cluster} does not serve ${rbacName(resource)} as ${resource.apiVersion}, so it can't ${verb} ${object}${said}; ${remedy}`;
  }
  return verb === "create"
    ? `cluster ${cluster} can't create ${describe(operation)}${said}; run again`
    : `cluster ${cluster} has no ${describe(operation)} to ${verb}${said}; run again`;
}

/** Returns `services in namespace shop` or `Service shop/cart`. */
export function describe({ resource, at }: Operation): string {
  if (at.name === undefined) {
    const scope = at.namespace === undefined ? "" : ` in namespace ${at.namespace}`;
    return rbacName(resource) + scope;
  }
  return `${resource.kind} ${at.namespace === undefined ? "" : `${at.namespace}/`}${at.name}`;
}
