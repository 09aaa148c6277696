import type { Question } from "../kubernetes/access-review.ts";
import { credentialsName } from "../credentials/objects.ts";
import type { LinkSpec } from "../mirroring/model/link.ts";

const all = ["get", "list", "watch", "create", "update", "delete"];
const watched = ["get", "list", "watch"];

/**
 * The rights that Linkerd's controller of a link must have in the source, as the roles of its chart grant
 * it (linkerd-behaviour.md 1.11). Asked of the API server, which knows of other roles as well.
 *
 * @param namespace that it runs in, where its Link and its credentials are
 */
export function controllerQuestions(link: LinkSpec, namespace: string): Question[] {
  const core = (resource: string, verbs: readonly string[]) =>
    verbs.map((verb) => ({ group: "", resource, verb }));
  const multicluster = { group: "multicluster.linkerd.io", resource: "links", namespace };
  const secret = { resource: "secrets", name: credentialsName(link.target), namespace };
  return [
    ...core("services", all),
    ...core("endpoints", all),
    ...core("namespaces", link.createNamespaces ? [...watched, "create"] : watched),
    ...watched.map((verb) => ({ group: "", ...secret, verb })),
    ...watched.map((verb) => ({ ...multicluster, verb })),
    { ...multicluster, subresource: "status", verb: "patch" },
    ...["create", "get", "update"].map((verb) => ({
      ...{ group: "coordination.k8s.io", resource: "leases", namespace },
      verb,
    })),
  ];
}
