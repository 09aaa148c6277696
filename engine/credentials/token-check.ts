import { KubernetesError } from "../kubernetes/errors.ts";
import type { Kubernetes } from "../kubernetes/interface.ts";
import type { Patience } from "./link-target.ts";
import { type AccessReview, accessReviews, secrets } from "./resources.ts";
import type { PolicyRule, TokenCheckArgs } from "./state.ts";

export interface TokenCheckContext {
  /** A client with the runner's rights, to read the Secret. */
  readonly runner: () => Promise<Kubernetes>;
  /** A client with nothing but that token. */
  readonly bearer: (token: string) => Promise<Kubernetes>;
  readonly patience: Patience;
}

/**
 * Returns once the token in the Secret is taken by the target's API server and allowed all that the
 * rules say; both may need a moment after they were created. The token leaves this function only
 * towards the cluster that issued it.
 *
 * @throws Error with a sentence that names the Secret and what is refused
 */
export async function checkToken(args: TokenCheckArgs, context: TokenCheckContext): Promise<void> {
  const { within, every, sleep } = context.patience;
  for (let waited = 0; ; waited += every) {
    const problem = await problemWith(args, context);
    if (problem === undefined) return;
    if (waited >= within) throw new Error(problem);
    await sleep(every);
  }
}

async function problemWith(
  args: TokenCheckArgs,
  { runner, bearer }: TokenCheckContext,
): Promise<string | undefined> {
  const where = `${args.target}/${args.namespace}/${args.secret}`;
  const token = await tokenIn(args, await runner());
  if (token === undefined)
    return `the token Secret ${where} has no token: see whether service account ${args.account} is there, and whether the cluster's controllers run`;
  const client = await bearer(token);
  try {
    const denied = await deniedOf(args.rules, client);
    if (denied.length === 0) return undefined;
    return `the token in Secret ${where} may not ${denied.join(", ")}: see whether ClusterRole and ClusterRoleBinding ${args.account} are as this program makes them`;
  } catch (error) {
    if (error instanceof KubernetesError && error.kind === "unauthorized")
      return `cluster ${args.target} does not take the token in Secret ${where}: see whether service account ${args.account} was made anew after it`;
    throw error;
  } finally {
    await client.close();
  }
}

async function tokenIn(args: TokenCheckArgs, kubernetes: Kubernetes): Promise<string | undefined> {
  try {
    const at = { namespace: args.namespace, name: args.secret };
    const base64 = (await kubernetes.get(secrets, at)).data?.token;
    return base64 === undefined ? undefined : Buffer.from(base64, "base64").toString();
  } catch (error) {
    if (error instanceof KubernetesError && error.kind === "notFound") return undefined;
    throw error;
  }
}

async function deniedOf(rules: readonly PolicyRule[], client: Kubernetes): Promise<string[]> {
  const answers = await Promise.all(
    questions(rules).map(async (resourceAttributes) => {
      const { status } = await client.create(accessReviews, { spec: { resourceAttributes } });
      const { verb, resource, group, name } = resourceAttributes;
      const what = `${resource}${group && `.${group}`}${name === undefined ? "" : `/${name}`}`;
      return status?.allowed === true ? [] : [`${verb} ${what}`];
    }),
  );
  return answers.flat();
}

/** One question for each verb on each resource that a rule grants, in all namespaces. */
export function questions(
  rules: readonly PolicyRule[],
): AccessReview["spec"]["resourceAttributes"][] {
  return rules.flatMap(({ apiGroups, resources, verbs, resourceNames = [undefined] }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        resourceNames.flatMap((name) =>
          verbs.map((verb) => ({ group, resource, verb, ...(name !== undefined && { name }) })),
        ),
      ),
    ),
  );
}
