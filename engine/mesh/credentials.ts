import { credentialsName } from "../credentials/objects.ts";
import { accessRules, discoverySelectors, linkUse } from "../credentials/rules.ts";
import { objectKey } from "../kubernetes/objects/objects.ts";
import { resources } from "../kubernetes/objects/resources.ts";
import { selects } from "../mirroring/decide/policies/selection.ts";
import type { LinkSpec } from "../mirroring/model/link.ts";
import type { ClusterSnapshot } from "../mirroring/model/snapshot.ts";
import { type Result, resultOf, valueIn } from "../result.ts";
import type { CredentialsNeed, MeshAccess, Observed } from "./need.ts";
import type { LinkReading, SecretReading, Trial } from "./reading.ts";
import { tryCredentials } from "./trial.ts";

/** Tells whether traffic of the link goes straight to pods, possibly besides a gateway. */
export function leadsToPods(link: LinkSpec, target: Result<ClusterSnapshot> | undefined): boolean {
  const read = valueIn(target);
  return link.gateway === false || (read !== undefined && discovers(link, read));
}

function discovers(link: LinkSpec, { services }: ClusterSnapshot): boolean {
  const selectors = discoverySelectors(link);
  return [...services.values()].some(({ metadata }) =>
    selectors.some((selector) => selects(selector, metadata.labels)),
  );
}

/** Reads both credentials Secrets of a link, and tries their content at the target. */
export async function readCredentials(
  { clusters: accesses }: Pick<MeshAccess, "clusters">,
  clusters: Pick<Observed, "client" | "connect">,
  link: LinkSpec,
  { mirroring, linkerdNamespace, multiclusterNamespace }: CredentialsNeed,
  target: ClusterSnapshot,
): Promise<LinkReading["credentials"]> {
  const access = accesses[link.source];
  if (access === undefined) return undefined;
  const context = {
    target: link.target,
    uid: target.services.get(objectKey("default", "kubernetes"))?.metadata.uid,
    rules: accessRules([linkUse(link, mirroring, discovers(link, target))]),
  };
  // Both Secrets usually hold the same kubeconfig.
  const trials = new Map<string, Promise<Trial>>();
  const attempt = (kubeconfig: string): Promise<Trial> => {
    const known = trials.get(kubeconfig) ?? tryCredentials(kubeconfig, context, clusters);
    trials.set(kubeconfig, known);
    return known;
  };
  const kubernetes = await clusters.client(link.source, access);
  const secretIn = (namespace: string) =>
    resultOf(async (): Promise<SecretReading | undefined> => {
      const at = { namespace, name: credentialsName(link.target) };
      const secret = await kubernetes.find(resources.secrets, at);
      if (secret === undefined) return undefined;
      const { type = "", metadata, data } = secret;
      const { labels = {}, annotations = {} } = metadata;
      const kubeconfig = Buffer.from(data?.kubeconfig ?? "", "base64").toString("utf8");
      return { type, labels, annotations, trial: await attempt(kubeconfig) };
    });
  const [mirror, destination] = await Promise.all([
    secretIn(multiclusterNamespace),
    secretIn(linkerdNamespace),
  ]);
  return { mirror, destination };
}
