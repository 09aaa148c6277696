import type { Kubernetes } from "../../../engine/kubernetes/client/interface.ts";
import type { Resource } from "../../../engine/kubernetes/objects/resources.ts";
import { until } from "../../../testbed/bed.ts";
import { request } from "../../../testbed/request.ts";
import { type Item, kinds, type Manifest } from "./objects.ts";
import { type ClusterName, create, isGone, type World } from "./world.ts";

const namespace = "accounts";

/** A rule of RBAC. */
export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** What it takes to read a cluster for its mirrors. */
export const reading: readonly Rule[] = [
  { apiGroups: [""], resources: ["namespaces", "services", "endpoints"], verbs: ["get", "list"] },
];
export const readingStatefulSets: Rule = {
  apiGroups: ["apps"],
  resources: ["statefulsets"],
  verbs: ["get", "list"],
};
export const readingDeployments: Rule = {
  apiGroups: ["apps"],
  resources: ["deployments"],
  verbs: ["get", "list"],
};
export const writing: Rule = {
  apiGroups: [""],
  resources: ["services", "endpoints"],
  verbs: ["create", "update", "patch", "delete"],
};

/** A service account with rights of its own in one cluster. */
export class Account {
  readonly token: string;
  readonly #world: World;
  readonly #cluster: ClusterName;
  readonly #name: string;

  private constructor(world: World, cluster: ClusterName, name: string, token: string) {
    this.#world = world;
    this.#cluster = cluster;
    this.#name = name;
    this.token = token;
  }

  /** Returns once it has these rights in every cluster-wide request. */
  static async create(
    world: World,
    cluster: ClusterName,
    name: string,
    rules: readonly Rule[],
  ): Promise<Account> {
    const kube = world.kube[cluster];
    await create(kube, items(name));
    const account = new Account(world, cluster, name, await tokenFor(kube, { namespace, name }));
    await account.allow(rules);
    return account;
  }

  /** Gives it these rights instead of those it has. */
  async allow(rules: readonly Rule[]): Promise<void> {
    await this.#world.kube[this.#cluster].patch(kinds.ClusterRole, { name: this.#name }, { rules });
    const wanted = rules.flatMap(({ apiGroups: [group = ""], resources, verbs }) =>
      resources.flatMap((resource) => verbs.map((verb) => ({ group, resource, verb }))),
    );
    for (const right of wanted)
      await until(`the right to ${right.verb} ${right.resource}`, [], () => this.#has(right));
  }

  async remove(): Promise<void> {
    for (const { kind, object } of items(this.#name))
      await this.#world.kube[this.#cluster]
        .remove(kinds[kind], object.metadata)
        .catch((error: unknown) => {
          if (!isGone(error)) throw error;
        });
  }

  async #has(resourceAttributes: object): Promise<true | undefined> {
    const { access } = this.#world.bed.clusters[this.#cluster];
    const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    const { body } = await request({ ...access, token: this.token }, "POST", path, {
      spec: { resourceAttributes },
    });
    const { status } = body as { readonly status?: { readonly allowed: boolean } };
    return status?.allowed === true || undefined;
  }
}

export async function tokenFor(
  kube: Kubernetes,
  account: { readonly namespace: string; readonly name: string },
): Promise<string> {
  const tokens: Resource<Manifest> = {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    path: `api/v1/namespaces/${account.namespace}/serviceaccounts/${account.name}`,
    plural: "token",
    namespaced: false,
  };
  const answer = await kube.create(tokens, { metadata: account, spec: {} });
  return (answer["status"] as { readonly token: string }).token;
}

function items(name: string): readonly Item[] {
  const subjects = [{ kind: "ServiceAccount", namespace, name }];
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name };
  return [
    { kind: "ServiceAccount", object: { metadata: { namespace, name } } },
    { kind: "ClusterRole", object: { metadata: { name }, rules: [] } },
    { kind: "ClusterRoleBinding", object: { metadata: { name }, subjects, roleRef } },
  ];
}
