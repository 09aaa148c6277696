import type { Kubernetes } from "../kubernetes/client/interface.ts";
import type { OtherObject, Secret } from "../kubernetes/objects/objects.ts";
import { type Resource, resources } from "../kubernetes/objects/resources.ts";
import { accountAnnotation, managedBy, managedByLabel, tokenType } from "./objects.ts";

/** The token Secrets of an account that this program has made, those being deleted included. */
export async function tokensOf(
  account: string,
  namespace: string,
  kubernetes: Kubernetes,
): Promise<Secret[]> {
  const options = { namespace, labelSelector: managedByLabel };
  const found = await kubernetes.list(resources.secrets, options);
  return found.filter(
    ({ type, metadata }) =>
      type === tokenType && metadata.annotations?.[accountAnnotation] === account,
  );
}

/** An object that an account consists of, as it is in the target. */
export interface AccountPart {
  readonly resource: Resource<OtherObject>;
  readonly object: OtherObject;
}

/**
 * What there is of an account, in the order in which it is to be deleted: the binding, without which
 * the account may do nothing; the account, without which its tokens are worth nothing; the rest.
 *
 * @throws KubernetesError
 */
export async function partsOf(
  account: string,
  namespace: string,
  kubernetes: Kubernetes,
): Promise<AccountPart[]> {
  const find = async (resource: Resource<OtherObject>): Promise<AccountPart[]> => {
    const at = { name: account, ...(resource.namespaced && { namespace }) };
    const object = await kubernetes.find(resource, at);
    return object === undefined ? [] : [{ resource, object }];
  };
  const [binding, own, tokens, role] = await Promise.all([
    find(resources.clusterRoleBindings),
    find(resources.serviceAccounts),
    tokensOf(account, namespace, kubernetes),
    find(resources.clusterRoles),
  ]);
  const secrets = tokens.map((object) => ({ resource: resources.secrets, object }));
  return [...binding, ...own, ...secrets, ...role];
}

/** Whether this program has made it. */
export function isOurs({ metadata: { labels = {} } }: OtherObject): boolean {
  return Object.entries(managedBy).every(([key, value]) => labels[key] === value);
}
