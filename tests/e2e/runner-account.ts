import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import {
  type AuditedRequest,
  type Bed,
  type BedCluster,
  mark,
  requestsOf,
} from "../../testbed/bed.ts";
import { repository } from "../../testbed/stack.ts";
import { addNamespace, inNamespace, post } from "./access-clusters.ts";

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

export interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly Rule[];
}

const runner = "linkerd-multicluster-runner";
const rbac = "/apis/rbac.authorization.k8s.io/v1";
const paths: Readonly<Record<string, (namespace: string) => string>> = {
  ServiceAccount: (namespace) => inNamespace(namespace, "serviceaccounts"),
  ClusterRole: () => `${rbac}/clusterroles`,
  ClusterRoleBinding: () => `${rbac}/clusterrolebindings`,
  Role: (namespace) => `${rbac}/namespaces/${namespace}/roles`,
  RoleBinding: (namespace) => `${rbac}/namespaces/${namespace}/rolebindings`,
};

/** The objects in a file of examples/rbac. */
export async function manifests(file: string): Promise<Manifest[]> {
  const text = await readFile(join(repository, "examples", "rbac", file), "utf8");
  return parseAllDocuments(text).map((each) => each.toJS() as Manifest);
}

export async function grant(cluster: BedCluster, manifest: Manifest): Promise<void> {
  const { kind, metadata } = manifest;
  if (kind === "Namespace") return addNamespace(cluster, metadata.name);
  const path = paths[kind]?.(metadata.namespace ?? "default") ?? kind;
  // Like namespaces, accounts stay from file to file.
  if (
    kind === "ServiceAccount" &&
    (await cluster.request("GET", `${path}/${metadata.name}`)).code === 200
  )
    return;
  return post(cluster, path, manifest);
}

/** `verb resource` of all that they allow. */
export function rightsIn(all: readonly Manifest[]): ReadonlySet<string> {
  return new Set(
    all.flatMap(({ rules = [] }) =>
      rules.flatMap(({ resources, verbs }) =>
        verbs.flatMap((verb) => resources.map((resource) => `${verb} ${resource}`)),
      ),
    ),
  );
}

/** As whoever has nothing but a token of that service account. */
export async function accessOf(cluster: BedCluster, name: string): Promise<BedCluster["access"]> {
  const path = `${inNamespace(runner, "serviceaccounts")}/${name}/token`;
  const { code, body } = await cluster.request("POST", path, { spec: {} });
  assert.equal(code, 201, JSON.stringify(body));
  const { status } = body as { readonly status: { readonly token: string } };
  return { ...cluster.access, token: status.token };
}

/** `verb resource` of all that the runner asks for meanwhile, none of which may be refused unless it is said. */
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
      // Whoever is authenticated may ask about themselves (ClusterRole system:basic-user).
      .filter(({ resource }) => !["", "selfsubjectaccessreviews"].includes(resource))
      .map(rightOf),
  );
}

function rightOf({ verb, resource }: AuditedRequest): string {
  return `${verb} ${resource}`;
}
