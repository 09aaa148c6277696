import { KubernetesError } from "../kubernetes/client/errors.ts";
import type { Kubernetes } from "../kubernetes/client/interface.ts";
import { movedCluster } from "../kubernetes/identity.ts";
import type { ClusterAccess } from "../kubernetes/kubeconfig/kubeconfig.ts";
import { omitUndefined } from "../kubernetes/objects/omit-undefined.ts";
import { printable } from "../kubernetes/objects/printable.ts";
import { resources } from "../kubernetes/objects/resources.ts";

/** The links of which a cluster is the source, by their targets. */
export interface SourceLinks {
  readonly access: ClusterAccess;
  readonly linkerdNamespace: string;
  readonly multiclusterNamespace: string;
  readonly targets: readonly string[];
  /** Targets whose Links this stack may take over from others; absent if there are none. */
  readonly adopted?: readonly string[];
}

/** Inputs and state of the resource that remembers which cluster a name stands for. */
export interface IdentityInputs {
  /** Its name in the config. */
  readonly cluster: string;
  readonly context: string;
  /** UID of `kube-system` as it was read in this run; absent where the cluster was out of reach. */
  readonly uid?: string;
  /** The UID that the config demands: `clusters.<name>.uid`. */
  readonly expected?: string;
  /** The links out of it that this stack has. It must not take over the Link resource of others. */
  readonly links?: SourceLinks;
  /**
   * Why nothing is written there in this run: the name does not stand for the cluster that it stood for, or the Link of
   * a new link is somebody else's.
   */
  readonly refused?: string;
}

/**
 * Compares a cluster with the one that the stack's state remembers by this name. One that is another, or has somebody
 * else's Link for a new link, is refused, which the program has to know before it makes anything that is sent there.
 */
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

async function foreignLinks(
  kubernetes: Pick<Kubernetes, "find">,
  cluster: string,
  links: SourceLinks,
  targets: readonly string[],
): Promise<string | undefined> {
  const found = targets.map((target) => foreignLink(kubernetes, cluster, target, links));
  const sentences = (await Promise.all(found)).filter((sentence) => sentence !== undefined);
  return sentences.length === 0 ? undefined : sentences.join(". ");
}

/**
 * Returns a sentence if the source already has a Link for a link that the stack is about to create: somebody else's,
 * such as one from `linkerd multicluster link-gen`. Otherwise Pulumi would fail on it in the middle of the run, and
 * two owners would overwrite each other. Undefined if it can't be read; then the run finds out.
 */
async function foreignLink(
  kubernetes: Pick<Kubernetes, "find">,
  source: string,
  target: string,
  { multiclusterNamespace }: Pick<SourceLinks, "multiclusterNamespace">,
): Promise<string | undefined> {
  const at = { namespace: multiclusterNamespace, name: target };
  const link = await kubernetes.find(resources.links, at).catch((error: unknown) => {
    if (error instanceof KubernetesError) return undefined;
    throw error;
  });
  if (link === undefined) return undefined;
  const where = `Link ${source}/${multiclusterNamespace}/${target} already exists`;
  const said = link.metadata.annotations?.["linkerd.io/created-by"];
  const creator = said === undefined ? "somebody else" : printable(said, 100);
  if (creator.startsWith("linkerd-multicluster/"))
    return `${where}, created by another stack of this program: remove the link from that stack first, or set adopt: true on it here if that stack is gone`;
  return `${where}, created by ${creator} and not by this stack: to manage it here, remove the controller that runs for it and set adopt: true on the link; its mirrors stay and are adopted as well`;
}
