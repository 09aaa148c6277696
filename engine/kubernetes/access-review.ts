import type { Kubernetes } from "./client/interface.ts";
import type { Question } from "./objects/review-resource.ts";
import { resources } from "./objects/resources.ts";

/** Returns the rights that the client lacks: `list pods`, `get configmaps/linkerd-config`. */
export async function deniedOf(
  asked: readonly Question[],
  client: Pick<Kubernetes, "create">,
): Promise<readonly string[]> {
  const answers = await Promise.all(
    asked.map(async (resourceAttributes) => {
      const review = await client.create(resources.accessReviews, { spec: { resourceAttributes } });
      return review.status?.allowed === true ? [] : [inWords(resourceAttributes)];
    }),
  );
  return answers.flat();
}

function inWords({ verb, resource, group, subresource, name, namespace }: Question): string {
  const part = subresource === undefined ? "" : `/${subresource}`;
  const one = name === undefined ? "" : `/${name}`;
  const where = namespace === undefined ? "" : ` in namespace ${namespace}`;
  return `${verb} ${resource}${group && `.${group}`}${part}${one}${where}`;
}
