import { KubernetesError } from "../kubernetes/client/errors.ts";
import type { Kubernetes } from "../kubernetes/client/interface.ts";
import type { ClusterAccess } from "../kubernetes/kubeconfig/kubeconfig.ts";
import { isDnsName } from "../kubernetes/objects/names.ts";
import { printable } from "../kubernetes/objects/printable.ts";
import { resources } from "../kubernetes/objects/resources.ts";
import { credentialsName } from "./objects.ts";

/** The links of which a cluster is the source, by their targets. */
export interface SourceLinks {
  readonly access: ClusterAccess;
  readonly linkerdNamespace: string;
  readonly multiclusterNamespace: string;
  readonly targets: readonly string[];
}

/**
 * Returns a sentence if the source already has a Link for a link that the stack is about to create: somebody else's,
 * such as one from `linkerd multicluster link-gen`. Otherwise Pulumi would fail on it in the middle of the run, and
 * two owners would overwrite each other. Undefined if it can't be read; then the run finds out.
 */
export async function foreignLink(
  kubernetes: Pick<Kubernetes, "find">,
  source: string,
  target: string,
  { access, multiclusterNamespace, linkerdNamespace }: Omit<SourceLinks, "targets">,
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
    return `${where}, created by another stack of this program: remove the link from that stack first`;
  const named = link.spec?.clusterCredentialsSecret ?? "";
  const secret = isDnsName(named) ? named : credentialsName(target);
  const kubectl = `kubectl --context ${access.context} delete --ignore-not-found`;
  const commands = [
    `${kubectl} --namespace ${multiclusterNamespace} links/${target} secrets/${secret}`,
    `${kubectl} --namespace ${linkerdNamespace} secrets/${secret}`,
  ];
  return `${where}, created by ${creator} and not by this stack: to manage it here, remove the controller that runs for it, then the Link and its credentials (${commands.join("; ")}), and run again; its mirrors stay meanwhile and are adopted`;
}
