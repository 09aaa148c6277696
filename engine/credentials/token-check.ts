import { deniedOf } from "../kubernetes/access-review.ts";
import type { Question } from "../kubernetes/objects/review-resource.ts";
import { KubernetesError } from "../kubernetes/client/errors.ts";
import type { Kubernetes } from "../kubernetes/client/interface.ts";
import { omitUndefined } from "../base/omit-undefined.ts";
import { poll, type Polling } from "../kubernetes/client/retry.ts";
import type { PolicyRule, TokenCheckArgs } from "./state.ts";
import { tokenIn } from "./tokens.ts";
import { UserError } from "../base/user-error.ts";

interface TokenCheckContext {
  readonly runner: () => Promise<Kubernetes>;
  /** The client has nothing but that token. */
  readonly bearer: (token: string) => Promise<Kubernetes>;
  readonly polling: Polling;
}

/** An API server may take a moment to accept a new token and new rules. No other server is sent the token. */
export async function checkToken(args: TokenCheckArgs, context: TokenCheckContext): Promise<void> {
  const look = () => problemWith(args, context);
  const problem = await poll(look, (found) => found === undefined, context.polling);
  if (problem !== undefined) throw new UserError(problem);
}

async function problemWith(
  args: TokenCheckArgs,
  { runner, bearer }: TokenCheckContext,
): Promise<string | undefined> {
  const where = `${args.target}/${args.namespace}/${args.secret}`;
  const at = { namespace: args.namespace, name: args.secret };
  const token = await tokenIn(at, await runner());
  if (token === undefined)
    return `Secret ${where} has no token: check that service account ${args.account} exists and that the cluster's controller manager runs`;
  const client = await bearer(token);
  try {
    const denied = await deniedOf(questions(args.rules), client);
    if (denied.length === 0) return undefined;
    return `the token in Secret ${where} is not allowed to ${denied.join(", ")}: check ClusterRole and ClusterRoleBinding ${args.account} for changes, which pulumi up --refresh undoes`;
  } catch (error) {
    if (error instanceof KubernetesError && error.kind === "unauthorized")
      return `cluster ${args.target} rejects the token in Secret ${where}: check whether service account ${args.account} was recreated after it`;
    throw error;
  } finally {
    await client.close();
  }
}

/** Each question is about one verb on one resource, in all namespaces. */
export function questions(rules: readonly PolicyRule[]): Question[] {
  return rules.flatMap(({ apiGroups, resources, verbs, resourceNames = [undefined] }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        resourceNames.flatMap((name) =>
          verbs.map((verb) => ({ group, resource, verb, ...omitUndefined({ name }) })),
        ),
      ),
    ),
  );
}
