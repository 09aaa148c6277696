import { KubernetesError } from "../kubernetes/client/errors.ts";
import { identify, movedCluster } from "../kubernetes/identity.ts";
import type { Kubernetes } from "../kubernetes/client/interface.ts";
import { type ClusterAccess, KubeconfigError } from "../kubernetes/kubeconfig/kubeconfig.ts";
import { type AccountPart, isOurs, partsOf } from "./account.ts";
import { accountName, managedBy } from "./objects.ts";
import type { RevocationArgs, RevocationInputs, RevocationTarget } from "./state.ts";

/** The clients by which the targets are read and written; nothing else is ever contacted. */
export type ClientOf = (cluster: string, access: ClusterAccess) => Promise<Kubernetes>;

/**
 * Puts what there still is of the account into the inputs, where a preview shows it. A target that
 * can't be read is shown too: the update then tries it, and fails if it still can't be.
 */
export async function checkRevocation(
  olds: Partial<RevocationInputs>,
  args: RevocationArgs,
  client: ClientOf,
): Promise<RevocationInputs> {
  const found: Record<string, string> = {};
  await Promise.all(
    Object.entries(args.targets).map(async ([target, access]) => {
      try {
        const parts = await partsIn(args, await client(target, access));
        const names = parts.map((part) => nameOf(part, args));
        if (names.length > 0) found[target] = names.join(", ");
      } catch (error) {
        found[target] = `not known: ${sentenceOf(error)}`;
      }
    }),
  );
  const isDone = Object.keys(found).length === 0;
  const revision = (olds.revision ?? 0) + (isDone ? 0 : 1);
  return { ...args, ...(!isDone && { deletes: sorted(found) }), revision };
}

/**
 * Deletes the account in every target: its rights first. Objects that other programs have made, and
 * clusters that are not those that the run has read, are left alone.
 *
 * @returns a sentence for each target in which the account may still have rights
 */
export async function revoke(args: RevocationArgs, client: ClientOf): Promise<readonly string[]> {
  const problems = await Promise.all(
    Object.entries(args.targets).map(async ([target, access]) => {
      try {
        return await revokeIn(target, access, args, await client(target, access));
      } catch (error) {
        return [sentenceOf(error)];
      }
    }),
  );
  return problems
    .flat()
    .map((problem) => `the access of ${args.source} is not revoked everywhere: ${problem}`);
}

async function revokeIn(
  target: string,
  { context, uid }: RevocationTarget,
  args: RevocationArgs,
  kubernetes: Kubernetes,
): Promise<readonly string[]> {
  if (uid === undefined)
    return [`cluster ${target} could not be read when this run began: run again`];
  const moved = movedCluster({ cluster: target, context }, await identify(kubernetes), {
    expected: uid,
  });
  if (moved !== undefined) return [moved];
  const problems: string[] = [];
  for (const part of await partsIn(args, kubernetes)) {
    const { resource, object } = part;
    if (isOurs(object)) {
      // One that is left must not keep the others.
      try {
        await remove(part, kubernetes);
      } catch (error) {
        problems.push(sentenceOf(error));
      }
      continue;
    }
    const label = Object.entries(managedBy).map((pair) => pair.join("="));
    problems.push(
      `${resource.kind} ${target}/${nameOf(part, args)} lacks the label ${label.join(",")}, so this program has not made it: find out whose it is, and delete it`,
    );
  }
  return problems;
}

function partsIn(
  { source, namespace }: RevocationArgs,
  kubernetes: Kubernetes,
): Promise<AccountPart[]> {
  return partsOf(accountName(source), namespace, kubernetes);
}

/** One that is gone already is as good. */
async function remove(
  { resource, object: { metadata } }: AccountPart,
  kubernetes: Kubernetes,
): Promise<void> {
  const { name, namespace, uid } = metadata;
  const at = { name, ...(resource.namespaced && { namespace }) };
  try {
    await kubernetes.remove(resource, at, uid === undefined ? {} : { uid });
  } catch (error) {
    if (!(error instanceof KubernetesError && error.kind === "notFound")) throw error;
  }
}

function nameOf({ resource, object }: AccountPart, { namespace }: RevocationArgs): string {
  const { name } = object.metadata;
  return `${resource.kind} ${resource.namespaced ? `${namespace}/` : ""}${name}`;
}

function sentenceOf(error: unknown): string {
  if (error instanceof KubernetesError || error instanceof KubeconfigError) return error.message;
  throw error;
}

function sorted(found: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)));
}
