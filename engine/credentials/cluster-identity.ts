import type { Kubernetes } from "../kubernetes/client/interface.ts";
import { movedCluster } from "../kubernetes/identity.ts";
import type { ClusterAccess } from "../kubernetes/kubeconfig/kubeconfig.ts";
import type { ObjectMeta } from "../kubernetes/objects/objects.ts";
import type { LinkResource } from "../kubernetes/objects/link-resource.ts";
import { omitUndefined } from "../kubernetes/objects/omit-undefined.ts";
import { printable } from "../kubernetes/objects/printable.ts";
import { type Resource, resources } from "../kubernetes/objects/resources.ts";
import { accountName, ownedLink, ownerAnnotation } from "./objects.ts";
import { resultOf } from "../result.ts";
import { unlessBug } from "../user-error.ts";

export interface SourceLinks {
  readonly access: ClusterAccess;
  readonly linkerdNamespace: string;
  readonly multiclusterNamespace: string;
  readonly targets: readonly string[];
  /** Their links lead into the cluster. Absent in state of earlier versions. */
  readonly sources?: readonly string[];
  /** It is `organization/project/stack`. */
  readonly stack: string;
  /** This stack may take over the Links of these targets from others. */
  readonly adopted?: readonly string[];
}

export interface IdentityInputs {
  readonly cluster: string;
  readonly context: string;
  /** The UID of `kube-system` was read in this run; it is absent if the cluster was out of reach. */
  readonly uid?: string;
  /** This sentence says that another name leads to the same cluster. */
  readonly twin?: string;
  /** The config demands this UID: `clusters.<name>.uid`. */
  readonly expected?: string;
  /** This stack must not take over the Link resource of others. */
  readonly links?: SourceLinks;
  /** Nothing is written in the cluster in this run for this reason. */
  readonly refused?: string;
}

/**
 * A cluster is refused if it isn't the one that state remembers, may be another of this stack's, or has somebody else's
 * Link for a new link.
 */
export async function checkIdentity(
  olds: Partial<IdentityInputs>,
  { twin, ...news }: IdentityInputs,
  open: (cluster: string, access: ClusterAccess) => Promise<Pick<Kubernetes, "find">>,
): Promise<{ readonly inputs: IdentityInputs; readonly notes: readonly string[] }> {
  const { uid: remembered } = olds;
  const { cluster, context, uid, expected, links } = news;
  const moved = uid && movedCluster(news, uid, expected ?? remembered, twin);
  const isOwn = (target: string) =>
    // Earlier versions remembered no links.
    olds.links?.targets.includes(target) ?? olds.cluster !== undefined;
  // Earlier versions remembered no links into the cluster either.
  const known = olds.links === undefined ? undefined : (olds.links.sources ?? links?.sources);
  const isKnownSource = (source: string) => known?.includes(source) ?? olds.cluster !== undefined;
  const fresh = links && {
    ...links,
    targets: links.targets.filter((target) => !isOwn(target)),
    sources: (links.sources ?? []).filter((source) => !isKnownSource(source)),
  };
  const isAsked = fresh !== undefined && fresh.targets.length + fresh.sources.length > 0;
  const read =
    uid === undefined || moved !== undefined || !isAsked
      ? undefined
      : await resultOf(
          async () => foreignObjects(await open(cluster, fresh.access), cluster, fresh),
          cluster,
        );
  const foreign = read && ("why" in read ? read.why : read.value);
  const refused = moved ?? foreign;
  if (uid !== undefined && refused === undefined) {
    const recreated = `cluster ${cluster} was recreated (its kube-system has UID ${uid}, and had ${remembered}), and the stack's state still lists what the old one had: run pulumi up --refresh`;
    return { inputs: news, notes: (remembered ?? uid) === uid ? [] : [recreated] };
  }
  const last = uid === undefined ? (expected ?? remembered) : remembered;
  const kept = {
    uid: foreign === undefined ? last : uid,
    expected,
    links: links && {
      ...links,
      targets: links.targets.filter(isOwn),
      sources: links.sources?.filter(isKnownSource) ?? [],
    },
    refused,
  };
  return { inputs: { cluster, context, ...omitUndefined(kept) }, notes: [] };
}

/**
 * Pulumi would fail on somebody else's Link, such as one from `linkerd multicluster link-gen`, in the middle of the run,
 * and two owners would overwrite each other. An object of this stack under another name of the cluster would be taken over
 * now, and deleted with the old name at the end of the run. If an object can't be read, the run finds out.
 */
async function foreignObjects(
  kubernetes: Pick<Kubernetes, "find">,
  cluster: string,
  { multiclusterNamespace: namespace, targets, sources = [], adopted = [], stack }: SourceLinks,
): Promise<string | undefined> {
  const found = <T extends { readonly metadata: ObjectMeta }>(
    resource: Resource<T>,
    name: string,
  ) => kubernetes.find(resource, { namespace, name }).catch(unlessBug(undefined));
  const renamed = (where: string, { annotations }: ObjectMeta, link: string) => {
    const owner = ownedLink(annotations?.[ownerAnnotation], stack);
    return owner === undefined || owner === link ? [] : [renamedCluster(where, owner, link)];
  };
  const links = targets.map(async (target) => {
    const link = await found(resources.links, target);
    if (link === undefined) return [];
    const where = `Link ${cluster}/${namespace}/${target}`;
    const own = renamed(where, link.metadata, `${cluster}/${target}`);
    if (own.length > 0 || adopted.includes(target)) return own;
    return [foreignLink(link, `${where} already exists`)];
  });
  const accounts = sources.map(async (source) => {
    const name = accountName(source);
    const account = await found(resources.serviceAccounts, name);
    const where = `ServiceAccount ${cluster}/${namespace}/${name}`;
    return account === undefined ? [] : renamed(where, account.metadata, `${source}/${cluster}`);
  });
  return (await Promise.all([...links, ...accounts])).flat().join(". ") || undefined;
}

function renamedCluster(where: string, owner: string, link: string): string {
  return `${where} belongs to this stack's link ${owner}, and link ${link} would use it: a cluster with links can't be renamed, since removing the old name would delete what the new one uses. Use the name in ${owner} again; or remove that link, run pulumi up, and then add ${link}`;
}

function foreignLink({ metadata }: LinkResource, where: string): string {
  const said = metadata.annotations?.["linkerd.io/created-by"];
  const creator = said === undefined ? "somebody else" : printable(said, 100);
  if (creator.startsWith("linkerd-multicluster/"))
    return `${where}, created by another stack of this program: remove the link from that stack first, or set adopt: true on it here if that stack is gone`;
  return `${where}, created by ${creator} and not by this stack: to manage it here, remove the controller that runs for it and set adopt: true on the link; its mirrors stay and are adopted as well`;
}
