import assert from "node:assert/strict";
import {
  type AuditedRequest,
  type Bed,
  type BedCluster,
  mark,
  requestsOf,
  until,
} from "../bed/bed.ts";
import { documents } from "../unit/examples/files.ts";
import { get, inNamespace, post } from "./access-clusters.ts";
import type { Item } from "./mirroring/objects.ts";

interface Rule {
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

interface SecretWithToken {
  readonly data?: { readonly token?: string };
}

interface Manifest extends Item {
  readonly apiVersion: string;
  readonly rules?: readonly Rule[];
}

/** Returns the objects in files of examples/rbac. */
export function manifests(...files: readonly string[]): Manifest[] {
  return files.flatMap((file) => documents(`rbac/${file}`) as Manifest[]);
}

/** Returns all rights that they give, as `verb resource`. */
export function rightsIn(all: readonly Manifest[]): ReadonlySet<string> {
  return new Set(
    all
      .flatMap(({ rules = [] }) => rules)
      .flatMap(({ resources, verbs }) =>
        verbs.flatMap((verb) => resources.map((resource) => `${verb} ${resource}`)),
      ),
  );
}

/** Returns an access that has only the token of the service account for which token.yaml has a Secret. */
export async function accessOf(cluster: BedCluster, name: string): Promise<BedCluster["access"]> {
  const secrets = inNamespace("linkerd-multicluster-runner", "secrets");
  const secret = manifests("token.yaml").find(({ metadata }) => metadata.name === `${name}-token`);
  const isLeft = (await cluster.request("GET", `${secrets}/${name}-token`)).code === 200;
  if (!isLeft) await post(cluster, secrets, secret);
  const token = await until(`the token of ${name}`, [], async () => {
    const { data } = await get<SecretWithToken>(cluster, `${secrets}/${name}-token`);
    return data?.token && Buffer.from(data.token, "base64").toString();
  });
  return { ...cluster.access, token };
}

/** Returns the rights that the runner uses meanwhile, as `verb resource`. Only those in `refused` may be denied. */
export async function rightsUsed(
  { clusters }: Pick<Bed<string>, "clusters">,
  work: () => Promise<unknown>,
  refused: readonly string[] = [],
  userAgent = "linkerd",
): Promise<ReadonlySet<string>> {
  const marks = await Promise.all(Object.values(clusters).map((cluster) => mark(cluster)));
  await work();
  const requests = (await Promise.all(marks.map((each) => requestsOf(each, userAgent)))).flat();
  assert.ok(requests.length > 0);
  const denied = requests.filter(({ code }) => code === 403 || code === 401).map(rightOf);
  assert.deepEqual([...new Set(denied)].sort(), refused);
  return new Set(
    requests
      // Every authenticated user may ask about itself (ClusterRole system:basic-user).
      .filter(({ resource }) => !["", "selfsubjectaccessreviews"].includes(resource))
      .map(rightOf),
  );
}

/** Returns the rights that the others don't have, sorted. */
export function beyond(rights: ReadonlySet<string>, others: ReadonlySet<string>): string[] {
  return [...rights].filter((right) => !others.has(right)).sort();
}

function rightOf({ verb, resource }: AuditedRequest): string {
  return `${verb} ${resource}`;
}
