import assert from "node:assert/strict";
import { inspect } from "node:util";
import type { PolicyRule, TokenCheckArgs } from "../../engine/credentials/state.ts";
import { checkToken } from "../../engine/credentials/token-check.ts";
import { connect } from "../../engine/kubernetes/connect.ts";
import { KubernetesError } from "../../engine/kubernetes/errors.ts";
import { type Resource, resources } from "../../engine/kubernetes/resources.ts";
import type { ClusterAccess } from "../../engine/kubernetes/kubeconfig.ts";

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
