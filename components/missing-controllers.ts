import type { OpenedClusters } from "@linkerd-multicluster/engine/kubernetes";
import { controllersIn, noController } from "@linkerd-multicluster/engine/mirroring";
import type { LinkConfig } from "../config/mesh.ts";

/**
 * Links that are left to controllers of Linkerd's which are not there, in sentences, where this stack
 * installs none. A source whose Deployments can't be listed is not told of.
 */
export async function missingControllers(
  opened: OpenedClusters["clusters"],
  links: readonly LinkConfig[],
): Promise<readonly string[]> {
  const left = links.filter(({ mirroring }) => mirroring === "controller").map(({ spec }) => spec);
  const sources = [...new Set(left.map(({ source }) => source))];
  const reading = sources.map(async (source) => {
    const cluster = opened.get(source);
    if (cluster === undefined || "why" in cluster) return [];
    const found = await controllersIn(cluster).catch(() => undefined);
    if (found === undefined) return [];
    const targets = left.filter((link) => link.source === source).map(({ target }) => target);
    return targets
      .filter((target) => !found.some((controller) => controller.target === target))
      .map((target) => missing(source, target));
  });
  return (await Promise.all(reading)).flat();
}

function missing(source: string, target: string): string {
  return `Link ${source}/${target} has mirroring: controller, and ${noController(source, target)}: add {link: {ref: {name: ${target}}}} to controllers in the values of its Helm release of linkerd-multicluster, or set mirroring: pulumi.`;
}
