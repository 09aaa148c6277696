import type { Reachable } from "../kubernetes/preflight.ts";
import { resources } from "../kubernetes/objects/resources.ts";
import { type ExternalNeeds, lacksOf, misfits } from "./external.ts";
import { issuerName, type LiveTrusts, trustRootsName } from "./live.ts";

/**
 * What the clusters lack of the trust that others are to provide, as sentences. A cluster that can't
 * be reached is not judged.
 */
export async function missingExternal(
  clusters: ReadonlyMap<string, Reachable>,
  live: LiveTrusts,
  needs: ExternalNeeds,
  now: Date,
): Promise<readonly string[]> {
  const { linkerdNamespace: namespace } = needs;
  const each = [...clusters].map(async ([name, cluster]) => {
    const trust = live.get(name);
    if ("why" in cluster || trust === undefined) return [];
    if (trust.state === "unreadable") return [unknownIn(name, trust.why)];
    try {
      const [home, roots, secret] = await Promise.all([
        cluster.find(resources.namespaces, { name: namespace }),
        cluster.find(resources.configMaps, { namespace, name: trustRootsName }),
        cluster.find(resources.secrets, { namespace, name: issuerName }),
      ]);
      const lacking = lacksOf(name, { home, roots, secret }, needs);
      return trust.state === "absent"
        ? lacking
        : [...lacking, ...misfits(name, namespace, trust, now)];
    } catch (error) {
      return [unknownIn(name, error instanceof Error ? error.message : String(error))];
    }
  });
  return (await Promise.all(each)).flat();
}

function unknownIn(cluster: string, why: string): string {
  return `What cluster ${cluster} provides is unknown, because ${why}.`;
}
