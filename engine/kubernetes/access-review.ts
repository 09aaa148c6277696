import type { Kubernetes } from "./client/interface.ts";
import type { AccessReview } from "./objects/objects.ts";
import { resources } from "./objects/resources.ts";

/** A verb on a resource, as an access review asks about it. */
export type Question = AccessReview["spec"]["resourceAttributes"];

/** Whom a SubjectAccessReview asks about. */
export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

/**
 * The questions that the API server answers with no, as `list pods` or
 * `get configmaps/linkerd-config`.
 *
 * @param account whom they are about, which takes the right to create `subjectaccessreviews`; absent:
 *   whoever the client is, about whom everybody may ask
 * @throws KubernetesError
 */
export async function deniedOf(
  asked: readonly Question[],
  client: Pick<Kubernetes, "create">,
  account?: ServiceAccountName,
): Promise<readonly string[]> {
  const resource = account === undefined ? resources.accessReviews : resources.subjectReviews;
  const subject = account === undefined ? {} : identityOf(account);
  const answers = await Promise.all(
    asked.map(async (resourceAttributes) => {
      const spec = { resourceAttributes, ...subject };
      const review = await client.create(resource, { spec });
      return review.status?.allowed === true ? [] : [inWords(resourceAttributes)];
    }),
  );
  return answers.flat();
}

/** The user and groups by which an API server knows a pod that runs as this account. */
function identityOf({ namespace, name }: ServiceAccountName) {
  const all = "system:serviceaccounts";
  return {
    user: `system:serviceaccount:${namespace}:${name}`,
    groups: [all, `${all}:${namespace}`, "system:authenticated"],
  };
}

function inWords({ verb, resource, group, subresource, name, namespace }: Question): string {
  const part = subresource === undefined ? "" : `/${subresource}`;
  const one = name === undefined ? "" : `/${name}`;
  const where = namespace === undefined ? "" : ` in namespace ${namespace}`;
  return `${verb} ${resource}${group && `.${group}`}${part}${one}${where}`;
}
