import type { Check, Finding } from "../check.ts";
import type { Controller } from "../../mirroring/observe/controllers.ts";
import type { LinkView } from "../view.ts";

/**
 * That one controller mirrors a link, and not two that overwrite each other, or none. Linkerd's
 * controllers are Deployments in the namespace of the multicluster extension, labelled with the
 * link's name (linkerd2, charts linkerd-multicluster and linkerd-multicluster-link).
 */
export const singleController: Check<LinkView> = {
  id: "single-controller",
  title: "a single controller mirrors the link, the one in the config",
  anchor: "l5d-multicluster-service-mirror-running",
  severity: "warning",
  aboutLinkerd: true,
  run: ({ link, source, mirroring }) => {
    const controllers = source.linkerd?.controllers;
    if (controllers === undefined || "why" in controllers)
      return { skipped: `the Deployments of cluster ${link.source} can't be read` };
    const own = controllers.value.filter(({ target }) => target === link.target);
    return mirroring === "controller"
      ? controlled(link.source, link.target, own)
      : own
          .filter(({ replicas }) => replicas > 0)
          .map((each) => otherController(link.source, each));
  },
};

function otherController(source: string, { namespace, name }: Controller): Finding {
  return {
    sentence: `Deployment ${source}/${namespace}/${name} also mirrors this link, so both write the same mirrors: remove it (its entry in controllers of the chart linkerd-multicluster, or its own chart linkerd-multicluster-link), or set mirroring: controller on the link`,
  };
}

function controlled(
  source: string,
  target: string,
  own: readonly Controller[],
): readonly Finding[] {
  if (own.some(({ ready }) => ready > 0)) return [];
  const [first] = own;
  return [
    {
      sentence:
        first === undefined
          ? `cluster ${source} has no controller for Link ${target}, so nothing mirrors it: add it to controllers of the chart linkerd-multicluster, or remove mirroring: controller from the link`
          : `Deployment ${source}/${first.namespace}/${first.name} has no ready pod, so nothing mirrors this link: check kubectl describe deployment ${first.name}`,
    },
  ];
}
