import assert from "node:assert/strict";
import { inspect } from "node:util";
import type { PolicyRule, TokenCheckArgs } from "../../engine/credentials/state.ts";
import { checkToken } from "../../engine/credentials/token-check.ts";
import { connect } from "../../engine/kubernetes/client/connect.ts";
import { KubernetesError } from "../../engine/kubernetes/client/errors.ts";
import { type Resource, resources } from "../../engine/kubernetes/objects/resources.ts";
import { inParallel } from "../../engine/kubernetes/client/parallel.ts";
import type { BedCluster } from "../../testbed/bed.ts";
import { request } from "../../testbed/request.ts";
import type { ClusterAccess } from "../../engine/kubernetes/kubeconfig/kubeconfig.ts";

const core = { apiVersion: "v1", path: "api/v1", namespaced: true } as const;
const kinds = {
  services: resources.services,
  endpoints: resources.endpoints,
  namespaces: resources.namespaces,
  pods: { ...core, kind: "Pod", plural: "pods" },
  secrets: { ...core, kind: "Secret", plural: "secrets" },
  configmaps: { ...core, kind: "ConfigMap", plural: "configmaps" },
  nodes: { ...core, kind: "Node", plural: "nodes", namespaced: false },
  endpointslices: {
    ...{ apiVersion: "discovery.k8s.io/v1", path: "apis/discovery.k8s.io/v1" },
    ...{ kind: "EndpointSlice", plural: "endpointslices", namespaced: true },
  },
  replicasets: {
    ...{ apiVersion: "apps/v1", path: "apis/apps/v1" },
    ...{ kind: "ReplicaSet", plural: "replicasets", namespaced: true },
  },
  jobs: {
    ...{ apiVersion: "batch/v1", path: "apis/batch/v1" },
    ...{ kind: "Job", plural: "jobs", namespaced: true },
  },
} satisfies Readonly<Record<string, Resource<unknown>>>;

/** Which of the kinds whoever has the token can list in the whole of west. */
export async function listable(access: ClusterAccess, token: string): Promise<string[]> {
  const client = await connect({ ...access, token }, "west");
  const allowed = await Promise.all(
    Object.entries(kinds).map(async ([plural, kind]) => {
      try {
        await client.list<unknown>(kind);
        return [plural];
      } catch (error) {
        assert(error instanceof KubernetesError && error.kind === "forbidden", inspect(error));
        return [];
      }
    }),
  );
  await client.close();
  return allowed.flat().sort();
}

interface ApiResources {
  readonly groupVersion: string;
  readonly resources: readonly { readonly name: string; readonly verbs: readonly string[] }[];
}

/** Verbs of RBAC beside those that the API server lists for a resource. */
const otherVerbs = ["impersonate", "bind", "escalate", "approve", "sign", "use", "*"];

/**
 * What Kubernetes lets every authenticated user do: ask about itself (ClusterRole system:basic-user), and since 1.37 read
 * ClusterTrustBundles, which hold no secret.
 */
const everybody = /^create selfsubject|^(?:get|list|watch) clustertrustbundles\./;

/**
 * All that whoever has the token may do in the whole cluster beyond what everybody may, by the API server's own word:
 * every verb on every resource that it serves, on Linkerd's Servers, and on the one object with rules of its own.
 */
export async function allowedIn(cluster: BedCluster, token: string): Promise<string[]> {
  const standard = ["get", "list", "watch", "create", "update", "patch", "delete"];
  const verbs = [...standard, "deletecollection", ...otherVerbs];
  const served = await servedBy(cluster);
  const names = [...served, "servers.policy.linkerd.io", "configmaps/linkerd-config"];
  assert(served.length > 80, served.join(" "));
  const questions = names.flatMap((name) => verbs.map((verb) => ({ name, verb })));
  const answers = await inParallel(questions, async ({ name, verb }) => {
    const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    const spec = { resourceAttributes: { ...attributesOf(name), verb } };
    const { body } = await request({ ...cluster.access, token }, "POST", path, { spec });
    const { status } = body as { readonly status: { readonly allowed: boolean } };
    return status.allowed ? [`${verb} ${name}`] : [];
  });
  const allowed = answers.map((each) => {
    if (each.status === "rejected") throw each.reason;
    return each.value;
  });
  return allowed
    .flat()
    .filter((right) => !everybody.test(right))
    .sort();
}

/** `resource.group`, subresources too, as `pods/exec`. */
async function servedBy({ request: ask }: BedCluster): Promise<string[]> {
  const { body } = await ask("GET", "/apis");
  const { groups } = body as {
    readonly groups: readonly { readonly versions: readonly { readonly groupVersion: string }[] }[];
  };
  const paths = groups.flatMap(({ versions }) =>
    versions.map((each) => `apis/${each.groupVersion}`),
  );
  const lists = await Promise.all(["api/v1", ...paths].map((path) => ask("GET", `/${path}`)));
  const names = lists.flatMap((answer) => {
    const { groupVersion, resources: found } = answer.body as ApiResources;
    const group = groupVersion.includes("/") ? `.${groupVersion.split("/")[0] ?? ""}` : "";
    return found.map(({ name }) => {
      const [resource = "", ...subresource] = name.split("/");
      return [resource + group, ...subresource].join("/");
    });
  });
  return [...new Set(names)];
}

function attributesOf(name: string) {
  const [resource = "", subresource] = name.split("/");
  const [plural = "", ...group] = resource.split(".");
  const named = name === "configmaps/linkerd-config";
  return {
    ...{ resource: plural, group: group.join(".") },
    ...(subresource !== undefined && (named ? { name: subresource } : { subresource })),
  };
}

/** As the provider tries a token, but only once. */
export function tryOnce(args: TokenCheckArgs): Promise<void> {
  return checkToken(args, {
    runner: () => connect(args.access, "west"),
    bearer: (token) => connect({ ...args.access, token }, "west"),
    polling: { within: 0, every: 1 },
  });
}

/** What of the rules the token is not allowed, by the API server's own word. */
export async function denied(args: TokenCheckArgs, rule: PolicyRule): Promise<string[]> {
  const problem: unknown = await tryOnce({ ...args, rules: [rule] }).catch(
    (error: unknown) => error,
  );
  if (!(problem instanceof Error)) return [];
  return (/is not allowed to (.*): check/.exec(problem.message)?.[1] ?? inspect(problem)).split(
    ", ",
  );
}
