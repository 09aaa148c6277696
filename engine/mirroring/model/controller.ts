import type { Result } from "../../result.ts";

/** A Deployment of Linkerd that writes mirrors into the cluster in which it runs. */
export interface Controller {
  readonly namespace: string;
  readonly name: string;
  /**
   * The name of its Link, which is also the target's; undefined for the local service mirror, which adds the
   * cluster's own Services to federated ones (linkerd-behaviour.md 4.2).
   */
  readonly target: string | undefined;
  readonly replicas: number;
  readonly ready: number;
}

/** Linkerd's controllers in a cluster, or why they can't be known. */
export type Controllers = Result<readonly Controller[]>;

/** The other writers of the same objects, as far as they were read. */
export interface OtherWriters {
  readonly controllers?: Controllers;
  /** The runner may patch the status of Links. If the API server doesn't answer, the run tries the write. */
  readonly mayKeepStatus?: boolean;
}

/** Returns controllers with replicas; the local service mirror if no target is named. */
export function running(
  controllers: readonly Controller[],
  target: string | undefined,
): readonly Controller[] {
  return controllers.filter((each) => each.target === target && each.replicas > 0);
}

/**
 * Returns whether a controller may exist, even scaled to zero: then this program may not delete its mirrors.
 *
 * @param target as in `running`
 */
export function mayExist(controllers: Controllers, target: string | undefined): boolean {
  return "why" in controllers || controllers.value.some((each) => each.target === target);
}

/** Names the Deployment for messages: `Deployment east/linkerd-multicluster/controller-west`. */
export function deploymentOf(cluster: string, { namespace, name }: Controller): string {
  return `Deployment ${cluster}/${namespace}/${name}`;
}

/** Returns the first part of a sentence: no controller mirrors a link that is left to one. */
export function noControllerText(source: string, target: string): string {
  return `cluster ${source} has no controller for Link ${target}`;
}

/** Returns the sentence for a controller that mirrors the same link as this program. */
export function alsoMirrorsText(source: string, controller: Controller): string {
  return `${deploymentOf(source, controller)} also mirrors this link, so both write the same mirrors: remove it (its entry in controllers of the chart linkerd-multicluster, or its own chart linkerd-multicluster-link), or leave the link to it (mirroring: controller, and with manage: mirrors take the link out of the config)`;
}

/**
 * Returns the sentence for a local service mirror that writes the same federated Services as this program.
 *
 * @param context of the cluster, for the command
 */
export function alsoFederatesText(
  cluster: string,
  context: string,
  controller: Controller,
  services: string,
): string {
  const { namespace, name } = controller;
  return `${deploymentOf(cluster, controller)} also writes federated Services (${services}), and creates them again where this program deletes them: set localServiceMirror.replicas to 0 in the values of the chart linkerd-multicluster, or run kubectl --context ${context} -n ${namespace} scale deployment ${name} --replicas 0`;
}
