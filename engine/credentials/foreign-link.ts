import { KubernetesError } from "../kubernetes/errors.ts";
import type { Kubernetes } from "../kubernetes/interface.ts";
import type { Resource } from "../kubernetes/resources.ts";
import type { ObjectMeta } from "../kubernetes/objects.ts";
import type { TargetArgs } from "./state.ts";

interface FoundLink {
  readonly metadata: ObjectMeta;
  readonly spec?: { readonly clusterCredentialsSecret?: string };
}

const links: Resource<FoundLink> = {
  apiVersion: "multicluster.linkerd.io/v1alpha3",
  path: "apis/multicluster.linkerd.io/v1alpha3",
  kind: "Link",
  plural: "links",
  namespaced: true,
};

/**
 * A sentence about the Link resource of a link that the stack has not made yet, if there is one in
 * the source: somebody else's, as `linkerd multicluster link-gen` makes them. Pulumi would fail on
 * it in the middle of the run, and overwriting it would start a quarrel. Where it can't be read, the
 * run finds out.
 */
export async function foreignLink(
  kubernetes: Kubernetes,
  { source, target, sourceAccess, multiclusterNamespace, linkerdNamespace }: TargetArgs,
): Promise<string | undefined> {
  const at = { namespace: multiclusterNamespace, name: target };
  const link = await found(kubernetes.get(links, at));
  if (link === undefined) return undefined;
  const where = `Link ${source}/${multiclusterNamespace}/${target} is there already`;
  const maker = link.metadata.annotations?.["linkerd.io/created-by"] ?? "somebody else";
  if (maker.startsWith("linkerd-multicluster/"))
    return `${where}, made by another stack of this program: take the link out of that stack first, so that the two do not fight over it`;
  const secret = link.spec?.clusterCredentialsSecret ?? `cluster-credentials-${target}`;
  const kubectl = `kubectl --context ${sourceAccess?.context ?? source} delete --ignore-not-found`;
  const commands = [
    `${kubectl} --namespace ${multiclusterNamespace} links/${target} secrets/${secret}`,
    `${kubectl} --namespace ${linkerdNamespace} secrets/${secret}`,
  ];
  return `${where}, made by ${maker} and not by this stack: for this stack to have it, remove the controller that works for it, then the Link and its credentials (${commands.join("; ")}), and run again; its mirrors stay meanwhile, and are taken over`;
}

async function found<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof KubernetesError) return undefined;
    throw error;
  }
}
