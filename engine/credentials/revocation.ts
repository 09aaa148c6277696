import { fallback } from "../kubernetes/client/errors.ts";
import { identify, movedCluster } from "../kubernetes/identity.ts";
import type { Kubernetes } from "../kubernetes/client/interface.ts";
import type { ClusterAccess } from "../kubernetes/kubeconfig/kubeconfig.ts";
import { accountName, managedBy, managedByLabel } from "./objects.ts";
import { tokensOf } from "./tokens.ts";
import type { OtherObject } from "../kubernetes/objects/objects.ts";
import { omitUndefined } from "../base/omit-undefined.ts";
import { type Resource, resources } from "../kubernetes/objects/resources.ts";
import type { RevocationArgs, RevocationInputs, RevocationTarget } from "./state.ts";
import { atCluster, messageOf } from "../base/user-error.ts";

/** Nothing but the targets is ever contacted. */
export type ClientOf = (cluster: string, access: ClusterAccess) => Promise<Kubernetes>;

/** A preview shows what remains of the account. The update tries again to read a target that can't be read. */
export async function checkRevocation(
  olds: Partial<RevocationInputs>,
  args: RevocationArgs,
  client: ClientOf,
): Promise<RevocationInputs> {
  const found = await inTargets(args, client, "not known: ", async (_, kubernetes) =>
    (await partsIn(args, kubernetes)).map((part) => nameOf(part, args)),
  );
  const deletes = found.flatMap(([target, names]) =>
    names.length === 0 ? [] : [[target, names.join(", ")] as const],
  );
  const isDone = deletes.length === 0;
  const revision = (olds.revision ?? 0) + (isDone ? 0 : 1);
  return { ...args, ...(!isDone && { deletes: Object.fromEntries(deletes) }), revision };
}

/** Returns a sentence for each target in which the account may still have rights. Objects of others are left alone. */
export async function revoke(args: RevocationArgs, client: ClientOf): Promise<readonly string[]> {
  const problems = await inTargets(args, client, "", (name, kubernetes, target) =>
    revokeIn(args, name, kubernetes, target),
  );
  return problems
    .flatMap(([, sentences]) => sentences)
    .map((problem) => `the access of ${args.source} is not revoked everywhere: ${problem}`);
}

function inTargets(
  { targets }: RevocationArgs,
  client: ClientOf,
  prefix: string,
  work: (name: string, kubernetes: Kubernetes, at: RevocationTarget) => Promise<readonly string[]>,
): Promise<(readonly [target: string, sentences: readonly string[]])[]> {
  const each = Object.entries(targets).sort(([a], [b]) => (a < b ? -1 : 1));
  return Promise.all(
    each.map(async ([name, target]) => {
      try {
        return [name, await work(name, await client(name, target), target)] as const;
      } catch (error) {
        return [name, [`${prefix}${atCluster(name, error).message}`]] as const;
      }
    }),
  );
}

async function revokeIn(
  args: RevocationArgs,
  target: string,
  kubernetes: Kubernetes,
  { context, uid }: RevocationTarget,
): Promise<readonly string[]> {
  if (uid === undefined)
    return [`cluster ${target} could not be read when this run began: run again`];
  const moved = movedCluster({ cluster: target, context }, await identify(kubernetes), uid);
  if (moved !== undefined) return [moved];
  const problems: string[] = [];
  for (const part of await partsIn(args, kubernetes)) {
    if (!isOurs(part.object)) {
      problems.push(
        `${nameOf(part, args, `${target}/`)} lacks the label ${managedByLabel}, so this program didn't create it: find its owner before you delete it`,
      );
      continue;
    }
    // If one object can't be deleted, the others still are.
    await remove(part, kubernetes).catch((error: unknown) => problems.push(messageOf(error)));
  }
  return problems;
}

interface AccountPart {
  readonly resource: Resource<OtherObject>;
  readonly object: OtherObject;
}

/** The order is that of deletion: without its binding, an account has no rights; without it, its tokens are void. */
async function partsIn(
  { source, namespace }: RevocationArgs,
  kubernetes: Kubernetes,
): Promise<AccountPart[]> {
  const name = accountName(source);
  const find = async (resource: Resource<OtherObject>): Promise<AccountPart[]> => {
    const at = { name, ...(resource.namespaced && { namespace }) };
    const object = await kubernetes.find(resource, at);
    return object === undefined ? [] : [{ resource, object }];
  };
  const [binding, own, tokens, role] = await Promise.all([
    find(resources.clusterRoleBindings),
    find(resources.serviceAccounts),
    tokensOf(name, namespace, kubernetes),
    find(resources.clusterRoles),
  ]);
  const secrets = tokens.map((object) => ({ resource: resources.secrets, object }));
  return [...binding, ...own, ...secrets, ...role];
}

function isOurs({ metadata: { labels = {} } }: OtherObject): boolean {
  return Object.entries(managedBy).every(([key, value]) => labels[key] === value);
}

async function remove(
  { resource, object: { metadata } }: AccountPart,
  kubernetes: Kubernetes,
): Promise<void> {
  const { name, namespace, uid } = metadata;
  const at = { name, ...(resource.namespaced && { namespace }) };
  await kubernetes
    .remove(resource, at, omitUndefined({ uid }))
    .catch(fallback(undefined, "notFound"));
}

function nameOf(
  { resource: { kind, namespaced }, object }: AccountPart,
  { namespace }: RevocationArgs,
  inCluster = "",
): string {
  return `${kind} ${inCluster}${namespaced ? `${namespace}/` : ""}${object.metadata.name}`;
}
