import assert from "node:assert/strict";
import type { BedCluster } from "../bed/bed.ts";
import { request } from "../bed/request.ts";
import { get } from "./access-clusters.ts";

interface ApiResources {
  readonly groupVersion: string;
  readonly resources: readonly { readonly name: string }[];
}

interface ApiGroups {
  readonly groups: readonly { readonly versions: readonly { readonly groupVersion: string }[] }[];
}

const standard = ["get", "list", "watch", "create", "update", "patch", "delete"];
/** RBAC has more verbs than the API server lists for a resource. */
const verbs = [
  ...[...standard, "deletecollection", "impersonate"],
  ...["bind", "escalate", "approve", "sign", "use", "*"],
];

/**
 * What Kubernetes lets every authenticated user do: ask about itself (ClusterRole system:basic-user), and since 1.37 read
 * ClusterTrustBundles, which hold no secret.
 */
const everybody = /^create selfsubject|^(?:get|list|watch) clustertrustbundles\./;

/**
 * Asks the API server what a token may do in the whole cluster beyond what everybody may:
 * every verb on every resource that it serves, on Linkerd's Servers, and on the one object with rules of its own.
 */
export async function allowedIn(cluster: BedCluster, token: string): Promise<string[]> {
  const served = await servedBy(cluster);
  assert(served.length > 80, served.join(" "));
  const names = [...served, "servers.policy.linkerd.io", "configmaps/linkerd-config"];
  const allowed: string[] = [];
  for (const name of names) {
    const answers = verbs.map(async (verb) => {
      const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
      const spec = { resourceAttributes: { ...attributesOf(name), verb } };
      const { body } = await request({ ...cluster.access, token }, "POST", path, { spec });
      const { status } = body as { readonly status: { readonly allowed: boolean } };
      return status.allowed && !everybody.test(`${verb} ${name}`) ? [`${verb} ${name}`] : [];
    });
    allowed.push(...(await Promise.all(answers)).flat());
  }
  return allowed.sort();
}

/** Returns all resources as `resource.group`, with subresources such as `pods/exec`. */
async function servedBy(cluster: BedCluster): Promise<string[]> {
  const { groups } = await get<ApiGroups>(cluster, "/apis");
  const versions = groups.flatMap((group) => group.versions);
  const paths = ["/api/v1", ...versions.map(({ groupVersion }) => `/apis/${groupVersion}`)];
  const lists = await Promise.all(paths.map((path) => get<ApiResources>(cluster, path)));
  const names = lists.flatMap(({ groupVersion, resources }) => {
    const group = groupVersion.includes("/") ? `.${groupVersion.replace(/\/.*/, "")}` : "";
    return resources.map(({ name }) => name.replace(/^[^/]+/, `$&${group}`));
  });
  return [...new Set(names)];
}

function attributesOf(name: string) {
  const [resource = "", subresource] = name.split("/");
  const [plural = "", ...group] = resource.split(".");
  const named = name === "configmaps/linkerd-config";
  return {
    resource: plural,
    group: group.join("."),
    ...(subresource !== undefined && (named ? { name: subresource } : { subresource })),
  };
}
