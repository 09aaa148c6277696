import type { Kubernetes } from "../kubernetes/client/interface.ts";
import { movedCluster } from "../kubernetes/identity.ts";
import type { ClusterAccess } from "../kubernetes/kubeconfig/kubeconfig.ts";
import type { ObjectMeta } from "../kubernetes/objects/objects.ts";
import { omitUndefined } from "../base/omit-undefined.ts";
import { printable } from "../kubernetes/objects/printable.ts";
import { type Resource, resources } from "../kubernetes/objects/resources.ts";
import { accountName, ownedLink, ownerAnnotation } from "./objects.ts";
import { resultOf } from "../base/result.ts";
import { unlessBug } from "../base/user-error.ts";

export interface SourceLinks {
  readonly access: ClusterAccess;
  readonly linkerdNamespace: string;
  readonly multiclusterNamespace: string;
  readonly targets: readonly string[];
  /** Their links lead into the cluster. Absent in state of earlier versions. */
  readonly sources?: readonly string[];
  /** The stack, as `organization/project/stack`. */
  readonly stack: string;
  /** This stack may take over the objects of these links (`source/target`), also from the stacks in the list. */
  readonly adopted?: Readonly<Record<string, readonly string[]>>;
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
 * now, and deleted with the old name at the end of the run. Where one link adopts, Pulumi updates what exists of the others
 * as well, so an account of somebody else is refused too. If an object can't be read, the run finds out.
 */
async function foreignObjects(
  kubernetes: Pick<Kubernetes, "find">,
  cluster: string,
  { multiclusterNamespace: namespace, targets, sources = [], adopted = {}, stack }: SourceLinks,
): Promise<string | undefined> {
  const found = <T extends { readonly metadata: ObjectMeta }>(
    resource: Resource<T>,
    name: string,
  ) => kubernetes.find(resource, { namespace, name }).catch(unlessBug(undefined));
  const foreign = (where: string, { metadata }: { metadata: ObjectMeta }, link: string) => {
    const mark = metadata.annotations?.[ownerAnnotation];
    const own = ownedLink(mark, stack);
    if (own !== undefined && own !== link) return renamedCluster(where, own, link);
    const stacks = Object.hasOwn(adopted, link) ? adopted[link] : undefined;
    const [other = ""] = own === undefined ? (mark?.split(" ") ?? []) : [];
    if (other !== "" && stacks?.includes(other) !== true) return otherStacks(where, other);
    // An account that names this very link was made by a run that left out the cluster's identity.
    const isKnown = own !== undefined && where.startsWith("ServiceAccount ");
    return stacks !== undefined || isKnown ? undefined : foreignObject(metadata, where);
  };
  const links = targets.map(async (target) => {
    const where = `Link ${cluster}/${namespace}/${target}`;
    const link = await found(resources.links, target);
    return link && foreign(where, link, `${cluster}/${target}`);
  });
  const accounts = sources.map(async (source) => {
    const name = accountName(source);
    const where = `ServiceAccount ${cluster}/${namespace}/${name}`;
    const account = await found(resources.serviceAccounts, name);
    return account && foreign(where, account, `${source}/${cluster}`);
  });
  const refusals = await Promise.all([...links, ...accounts]);
  return refusals.filter((why) => why !== undefined).join(". ") || undefined;
}

function renamedCluster(where: string, owner: string, link: string): string {
  return `${where} belongs to this stack's link ${owner}, and link ${link} would use it: a cluster with links can't be renamed, since removing the old name would delete what the new one uses. Use the name in ${owner} again; or remove that link, run pulumi up, and then add ${link}`;
}

function otherStacks(where: string, other: string): string {
  const stack = printable(other, 200);
  return `${where} already exists, created by stack ${stack}: remove the link from that stack first; or, if that stack is gone, set adopt: true and adoptFrom: [${stack}] on it here`;
}

function foreignObject({ annotations }: ObjectMeta, where: string): string {
  const said = annotations?.["linkerd.io/created-by"];
  const creator = said === undefined ? "somebody else" : printable(said, 100);
  if (creator.startsWith("linkerd-multicluster/"))
    return `${where} already exists, created by a stack of this program: if it is this one, whose state was lost, or one that is gone, set adopt: true on the link; otherwise remove the link from that stack first`;
  return `${where} already exists, created by ${creator} and not by this stack: to manage it here, remove the controller that runs for it and set adopt: true on the link; its mirrors stay and are adopted as well`;
}
