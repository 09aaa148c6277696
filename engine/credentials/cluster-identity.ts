import type { Kubernetes } from "../kubernetes/client/interface.ts";
import { movedCluster } from "../kubernetes/identity.ts";
import type { ClusterAccess } from "../kubernetes/kubeconfig/kubeconfig.ts";
import type { LinkResource } from "../kubernetes/objects/link-resource.ts";
import { omitUndefined } from "../kubernetes/objects/omit-undefined.ts";
import { printable } from "../kubernetes/objects/printable.ts";
import { resources } from "../kubernetes/objects/resources.ts";
import { unlessBug } from "../user-error.ts";

export interface SourceLinks {
  readonly access: ClusterAccess;
  readonly linkerdNamespace: string;
  readonly multiclusterNamespace: string;
  readonly targets: readonly string[];
  /** This stack may take over the Links of these targets from others. */
  readonly adopted?: readonly string[];
}

export interface IdentityInputs {
  readonly cluster: string;
  readonly context: string;
  /** The UID of `kube-system` was read in this run; it is absent if the cluster was out of reach. */
  readonly uid?: string;
  /** The config demands this UID: `clusters.<name>.uid`. */
  readonly expected?: string;
  /** This stack must not take over the Link resource of others. */
  readonly links?: SourceLinks;
  /** Nothing is written in the cluster in this run for this reason. */
  readonly refused?: string;
}

/** A cluster is refused if it isn't the one that state remembers, or has somebody else's Link for a new link. */
export async function checkIdentity(
  olds: Partial<IdentityInputs>,
  news: IdentityInputs,
  open: (cluster: string, access: ClusterAccess) => Promise<Pick<Kubernetes, "find">>,
): Promise<{ readonly inputs: IdentityInputs; readonly notes: readonly string[] }> {
  const { uid: remembered } = olds;
  const { cluster, context, uid, expected, links } = news;
  const moved = uid && movedCluster(news, uid, expected ?? remembered);
  const isOwn = (target: string) =>
    // Earlier versions remembered no links.
    olds.links?.targets.includes(target) ?? olds.cluster !== undefined;
  const fresh =
    links?.targets.filter((target) => !isOwn(target) && !links.adopted?.includes(target)) ?? [];
  const foreign =
    uid === undefined || moved !== undefined || links === undefined || fresh.length === 0
      ? undefined
      : await foreignLinks(await open(cluster, links.access), cluster, links, fresh);
  const refused = moved ?? foreign;
  if (uid !== undefined && refused === undefined) {
    const recreated = `cluster ${cluster} was recreated (its kube-system has UID ${uid}, and had ${remembered}), and the stack's state still lists what the old one had: run pulumi up --refresh`;
    return { inputs: news, notes: (remembered ?? uid) === uid ? [] : [recreated] };
  }
  const known = uid === undefined ? (expected ?? remembered) : remembered;
  const kept = {
    uid: foreign === undefined ? known : uid,
    expected,
    links: links && { ...links, targets: links.targets.filter(isOwn) },
    refused,
  };
  return { inputs: { cluster, context, ...omitUndefined(kept) }, notes: [] };
}

/**
 * Pulumi would fail on somebody else's Link, such as one from `linkerd multicluster link-gen`, in the middle of the run,
 * and two owners would overwrite each other. If the Link can't be read, the run finds out.
 */
async function foreignLinks(
  kubernetes: Pick<Kubernetes, "find">,
  source: string,
  { multiclusterNamespace: namespace }: SourceLinks,
  targets: readonly string[],
): Promise<string | undefined> {
  const sentences = targets.map(async (name) => {
    const at = { namespace, name };
    const link = await kubernetes.find(resources.links, at).catch(unlessBug(undefined));
    return link === undefined
      ? []
      : [foreignLink(link, `Link ${source}/${namespace}/${name} already exists`)];
  });
  return (await Promise.all(sentences)).flat().join(". ") || undefined;
}

function foreignLink({ metadata }: LinkResource, where: string): string {
  const said = metadata.annotations?.["linkerd.io/created-by"];
  const creator = said === undefined ? "somebody else" : printable(said, 100);
  if (creator.startsWith("linkerd-multicluster/"))
    return `${where}, created by another stack of this program: remove the link from that stack first, or set adopt: true on it here if that stack is gone`;
  return `${where}, created by ${creator} and not by this stack: to manage it here, remove the controller that runs for it and set adopt: true on the link; its mirrors stay and are adopted as well`;
}
