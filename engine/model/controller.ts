import { kubectlIn } from "../kubernetes/objects/names.ts";
import type { Result } from "../base/result.ts";

export interface Controller {
  readonly namespace: string;
  readonly name: string;
  /**
   * Names its Link and the target; undefined for the local service mirror, which adds the cluster's own Services to
   * federated ones (linkerd-behaviour.md 4.2).
   */
  readonly target: string | undefined;
  readonly replicas: number;
  readonly ready: number;
}

export type Controllers = Result<readonly Controller[]>;

/** Returns the local service mirrors if no target is named. */
export function running(
  controllers: readonly Controller[],
  target: string | undefined,
): readonly Controller[] {
  return controllers.filter((each) => each.target === target && each.replicas > 0);
}

/** Counts controllers that are scaled to zero: this program may not delete their mirrors either. */
export function mayExist(controllers: Controllers, target: string | undefined): boolean {
  return "why" in controllers || controllers.value.some((each) => each.target === target);
}

export function deploymentOf(cluster: string, { namespace, name }: Controller): string {
  return `Deployment ${cluster}/${namespace}/${name}`;
}

export function noControllerText(source: string, target: string): string {
  return `cluster ${source} has no controller for Link ${target}`;
}

export function alsoMirrorsText(source: string, controller: Controller): string {
  return `${deploymentOf(source, controller)} also mirrors this link, so both write the same mirrors: remove it (its entry in controllers of the chart linkerd-multicluster, or its own chart linkerd-multicluster-link), or leave the link to it (mirroring: controller, and with manage: mirrors take the link out of the config)`;
}

export function alsoFederatesText(
  cluster: string,
  context: string,
  controller: Controller,
  services: string,
): string {
  const { namespace, name } = controller;
  return `${deploymentOf(cluster, controller)} also writes federated Services (${services}), and creates them again where this program deletes them: set localServiceMirror.replicas to 0 in the values of the chart linkerd-multicluster, or run ${kubectlIn(context)} -n ${namespace} scale deployment ${name} --replicas 0`;
}
