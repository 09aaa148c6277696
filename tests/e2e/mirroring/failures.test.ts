import assert from "node:assert/strict";
import { join } from "node:path";

import { until } from "../../../testbed/bed.ts";
import { writeKubeconfig } from "../../../testbed/kubeconfig.ts";
import { tokenOf } from "../access-clusters.ts";
import { exportedHeadless, exportedService, type Item } from "./objects.ts";
import { Methods } from "./methods.ts";
import { bedWithGateway, create, type SharedBed } from "./shared-bed.ts";
import { servicesIn } from "./view.ts";

const account = { namespace: "failures-allowed", name: "mirror" };
const user = `system:serviceaccount:${account.namespace}:${account.name}`;
const namespaces = ["failures-allowed", "failures-denied", "failures-forbidden"] as const;

describe("a run that can't do everything", function () {
  this.timeout("20m");

  let shared: SharedBed;
  let stack: Methods;

  before(async () => {
    shared = await bedWithGateway(...namespaces);
    const { west, east } = shared.kube;
    await create(west, [
      ...exportedService("failures-allowed/web"),
      ...exportedHeadless("failures-denied/db", ["db-0", "db-1"]),
      ...exportedService("failures-forbidden/web"),
    ]);
    await create(east, [...permissions, ...policy]);
    const { clusters, folder } = shared.bed;
    const token = await tokenOf(clusters.east, account.namespace, account.name);
    const services = "/api/v1/namespaces/failures-denied/services?dryRun=All";
    const probe = { metadata: { name: "db-1-probe" }, spec: { ports: [{ port: 80 }] } };
    await until("the admission policy", [], async () => {
      return (await clusters.east.request("POST", services, probe)).code !== 201 || undefined;
    });
    const kubeconfig = join(folder, "failures.kubeconfig");
    const access = { ...clusters.east.access, token };
    await writeKubeconfig(kubeconfig, [{ name: "east", access }]);
    const links = [{ source: "east", target: "west", headless: true }];
    const config = { clusters: { west: {}, east: { kubeconfig } }, links };
    stack = new Methods(shared, "failures", config, [token]);
  });

  it("does what it can, lists what it can't object by object, and fails", async () => {
    const { text } = await stack.up({ fails: true });
    for (const sentence of [forbidden, denied]) assert.match(text, sentence);
    const left = namespaces.map((namespace) => servicesIn(shared.kube.east, namespace));
    assert.deepEqual(await Promise.all(left), [["web-west"], ["db-0-west", "db-west"], []]);
  });
});

const forbidden = new RegExp(
  `cluster east does not let user ${user} create Service failures-forbidden/web-west; grant create on services in namespace failures-forbidden`,
);
const denied =
  /cluster east rejects the request to create Service failures-denied\/db-1-west .*denied request: not on a Sunday/;

const subjects = [{ kind: "ServiceAccount", ...account }];
const roleRef = (name: string) => ({
  ...{ apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
});

function role(name: string, verbs: readonly string[], resources: readonly string[]): Item {
  return {
    kind: "ClusterRole",
    metadata: { name },
    rules: [{ apiGroups: [""], resources, verbs }],
  };
}

function binding(namespace: string): Item {
  const metadata = { namespace, name: "mirror" };
  return { kind: "RoleBinding", metadata, subjects, roleRef: roleRef("mirror") };
}

/** Reads everything, and writes where it is bound. */
const permissions: readonly Item[] = [
  { kind: "ServiceAccount", metadata: account },
  role("mirror-read", ["get", "list"], ["namespaces", "services", "endpoints"]),
  {
    ...{ kind: "ClusterRoleBinding", metadata: { name: "mirror-read" }, subjects },
    roleRef: roleRef("mirror-read"),
  },
  role("mirror", ["create", "update", "delete"], ["services", "endpoints"]),
  binding("failures-allowed"),
  binding("failures-denied"),
];

const metadata = { name: "not-on-a-sunday" };
const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"] };
const expression = "!object.metadata.name.startsWith('db-1-')";

/** The cluster's own rule against one Service. */
const policy: readonly Item[] = [
  {
    ...{ kind: "ValidatingAdmissionPolicy", metadata },
    spec: {
      failurePolicy: "Fail",
      matchConstraints: { resourceRules: [{ ...rule, resources: ["services"] }] },
      validations: [{ expression, message: "not on a Sunday" }],
    },
  },
  {
    ...{ kind: "ValidatingAdmissionPolicyBinding", metadata },
    spec: { policyName: metadata.name, validationActions: ["Deny"] },
  },
];
