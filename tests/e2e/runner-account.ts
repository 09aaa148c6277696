import assert from "node:assert/strict";
import { type AuditedRequest, type Bed, type BedCluster, mark, requestsOf } from "../bed/bed.ts";
import { documents } from "../unit/examples/files.ts";
import { tokenOf } from "./access-clusters.ts";
import type { Item } from "./mirroring/objects.ts";

interface Rule {
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

interface Manifest extends Item {
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

/** Returns an access that has only a token of the service account. */
export async function accessOf(cluster: BedCluster, name: string): Promise<BedCluster["access"]> {
  return { ...cluster.access, token: await tokenOf(cluster, "linkerd-multicluster-runner", name) };
}

/** Returns the rights that the runner uses meanwhile, as `verb resource`. Only those in `refused` may be denied. */
export async function rightsUsed(
  { clusters }: Pick<Bed<string>, "clusters">,
  work: () => Promise<unknown>,
  refused: readonly string[] = [],
): Promise<ReadonlySet<string>> {
  const marks = await Promise.all(Object.values(clusters).map((cluster) => mark(cluster)));
  await work();
  const requests = (await Promise.all(marks.map((each) => requestsOf(each, "linkerd")))).flat();
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
