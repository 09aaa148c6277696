import type { Result } from "../../result.ts";

/** A controller of Linkerd that writes mirrors into the cluster it runs in. */
export interface Controller {
  readonly namespace: string;
  readonly name: string;
  /**
   * Name of its Link, which is that of the target; undefined: the local service mirror, which has
   * the cluster's own Services join federated ones (linkerd-behaviour.md 4.2).
   */
  readonly target: string | undefined;
  /** Pods that it should have. */
  readonly replicas: number;
  /** Pods that are ready. */
  readonly ready: number;
}

/** What is found of Linkerd's controllers in a cluster, or in a sentence why they can't be known. */
export type Controllers = Result<readonly Controller[]>;

/** What is known of others who write what this program does, as far as it was read. */
export interface OtherWriters {
  readonly controllers?: Controllers;
  /** Whether the runner may patch the status of Links; where the API server does not say, a write will tell. */
  readonly mayKeepStatus?: boolean;
}

/** Those that are meant to run; the local service mirror where no target is named. */
export function running(
  controllers: readonly Controller[],
  target: string | undefined,
): readonly Controller[] {
  return controllers.filter((each) => each.target === target && each.replicas > 0);
}

/**
 * Whether there may be one, be it scaled to zero: what it has written is not for others to delete.
 *
 * @param target as in `running`
 */
export function mayExist(controllers: Controllers, target: string | undefined): boolean {
  return "why" in controllers || controllers.value.some((each) => each.target === target);
}

/** As `kubectl` would find it: `Deployment east/linkerd-multicluster/controller-west`. */
export function deploymentOf(cluster: string, { namespace, name }: Controller): string {
  return `Deployment ${cluster}/${namespace}/${name}`;
}

/** That nothing mirrors a link that is left to a controller, as the first part of a sentence. */
export function noController(source: string, target: string): string {
  return `cluster ${source} has no controller for Link ${target}`;
}

/** The sentence for a controller that mirrors a link beside this program. */
export function alsoMirrors(source: string, controller: Controller): string {
  return `${deploymentOf(source, controller)} also mirrors this link, so both write the same mirrors: remove it (its entry in controllers of the chart linkerd-multicluster, or its own chart linkerd-multicluster-link), or leave the link to it (mirroring: controller, and with manage: mirrors take the link out of the config)`;
}

/**
 * The sentence for a local service mirror that writes federated Services beside this program.
 *
 * @param context of the cluster, for the command
 */
export function alsoFederates(
  cluster: string,
  context: string,
  controller: Controller,
  services: string,
): string {
  const { namespace, name } = controller;
  return `${deploymentOf(cluster, controller)} also writes federated Services (${services}), and creates them again where this program deletes them: set localServiceMirror.replicas to 0 in the values of the chart linkerd-multicluster, or run kubectl --context ${context} -n ${namespace} scale deployment ${name} --replicas 0`;
}
