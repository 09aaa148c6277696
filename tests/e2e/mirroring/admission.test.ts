import assert from "node:assert/strict";
import { join } from "node:path";

import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import { until } from "../../bed/bed.ts";
import { writeKubeconfig } from "../../bed/kubeconfig.ts";
import { tokenOf } from "../access-clusters.ts";
import { exportedHeadless, exportedService, type Item, kinds } from "./objects.ts";
import { bedWithGateway, create, patch, relabel, type SharedBed } from "./shared-bed.ts";
import { Stack } from "./stack.ts";
import { servicesIn } from "./view.ts";

const account = { namespace: "failures-allowed", name: "mirror" };
const user = `system:serviceaccount:${account.namespace}:${account.name}`;
const web = { namespace: "failures-allowed", name: "web-west" };
const namespaces = ["failures-allowed", "failures-denied", "failures-forbidden"] as const;

describe("a source with its own admission policies and few rights for the runner", function () {
  this.timeout("20m");

  let shared: SharedBed;
  let stack: Stack;
  let config: { readonly clusters: object; readonly links: readonly object[] };

  before(async () => {
    shared = await bedWithGateway(...namespaces);
    const { west, east } = shared.kube;
    await create(west, [
      ...exportedService("failures-allowed/web", { labels: { tier: "front", team: "shop" } }),
      ...exportedHeadless("failures-denied/db", ["db-0", "db-1"]),
      ...exportedService("failures-forbidden/web"),
    ]);
    await create(east, [...permissions, ...policies]);
    const { clusters, folder } = shared.bed;
    const token = await tokenOf(clusters.east, account.namespace, account.name);
    await until("the admission policies", [], async () => {
      const [denied, changed] = [await dryRun("failures-denied"), await dryRun("failures-allowed")];
      return (
        (denied.code !== 201 && JSON.stringify(changed.body).includes("platform")) || undefined
      );
    });
    const kubeconfig = join(folder, "failures.kubeconfig");
    const access = { ...clusters.east.access, token };
    await writeKubeconfig(kubeconfig, [{ name: "east", access }]);
    const metadata = { copiedMetadata: ["*"], excludedLabels: ["team"] };
    const link = { source: "east", target: "west", headless: true, ...metadata };
    config = { clusters: { west: {}, east: { kubeconfig } }, links: [link] };
    stack = await Stack.create(shared, "failures", config, [token]);
  });

  it("gets every mirror that it doesn't reject, and the run lists the rejected ones and fails", async () => {
    const { text } = await stack.up({ fails: true });
    for (const sentence of [forbidden, denied]) assert.match(text, sentence);
    const mirrors = namespaces.map((namespace) => servicesIn(shared.kube.east, namespace));
    assert.deepEqual(await Promise.all(mirrors), [["web-west"], ["db-0-west", "db-west"], []]);
  });

  it("keeps labels that admission and people add to a mirror, and needs no run for them", async () => {
    const added = { team: "platform", "by-hand": "kept" };
    const change = { metadata: { labels: { "by-hand": "kept" } } };
    await patch(shared.kube.east, "Service", "failures-allowed/web-west", change);
    const { changes } = await stack.previewed();
    assert.ok(!("failures-allowed/web-west" in changes));
    await relabel(shared.kube.west, "failures-allowed/web", { tier: "back" });
    await stack.up({ fails: true });
    const { metadata } = await shared.kube.east.get(resources.services, web);
    assert.deepEqual({ ...metadata.labels, ...added, tier: "back" }, metadata.labels);
  });

  it("is due what was refused, although a refresh comes before the next run", async () => {
    const { east } = shared.kube;
    await east.remove(kinds.ValidatingAdmissionPolicyBinding, { name: "not-on-a-sunday" });
    await create(east, [binding("failures-forbidden")]);
    const unchanged = ["--refresh", "--expect-no-changes"];
    await stack.run("refresh");
    await stack.run("preview", unchanged, { fails: true });
    const isAllowed = async () => (await dryRun("failures-denied")).code === 201 || undefined;
    await until("the end of the policy", [], isAllowed);
    await stack.run("up", ["--refresh"]);
    const mirrors = namespaces.map((namespace) => servicesIn(east, namespace));
    assert.deepEqual(await Promise.all(mirrors), [
      ["web-west"],
      ["db-0-west", "db-1-west", "db-west"],
      ["web-west"],
    ]);
    await stack.run("preview", unchanged);
  });

  it("keeps a mirror that would have to be deleted and could not be created again", async () => {
    const { east } = shared.kube;
    const db = { namespace: "failures-denied", name: "db-west" };
    const before = await east.get(resources.services, db);
    const expression = "request.operation != 'CREATE' || !object.metadata.name.startsWith('db-')";
    const validations = [{ expression, message: "not on a Monday" }];
    const policy = { name: "not-on-a-sunday" };
    await east.patch(kinds.ValidatingAdmissionPolicy, policy, { spec: { validations } });
    const binding = policies.filter(({ kind }) => kind === "ValidatingAdmissionPolicyBinding");
    await create(east, binding);
    await until(
      "the policy",
      [],
      async () => (await dryRun("failures-denied")).code !== 201 || undefined,
    );
    const links = config.links.map((link) => ({ ...link, headless: false }));
    await stack.configure({ ...config, links });
    await stack.up({ fails: true });
    assert.deepEqual((await east.get(resources.services, db)).metadata.uid, before.metadata.uid);
    await east.remove(kinds.ValidatingAdmissionPolicyBinding, { name: "not-on-a-sunday" });
    await until(
      "the end of the policy",
      [],
      async () => (await dryRun("failures-denied")).code === 201 || undefined,
    );
    await stack.up();
    const { spec } = await east.get(resources.services, db);
    assert.notEqual(spec.clusterIP, "None");
  });

  function dryRun(namespace: string) {
    const probe = { metadata: { name: "db-1-probe" }, spec: { ports: [{ port: 80 }] } };
    const path = `/api/v1/namespaces/${namespace}/services?dryRun=All`;
    return shared.bed.clusters.east.request("POST", path, probe);
  }
});

const forbidden = new RegExp(
  `cluster east does not let user ${user} create Service failures-forbidden/web-west; grant create on services in namespace failures-forbidden`,
);
const denied =
  /cluster east rejects the request to create Service failures-denied\/db-1-west .*denied request: not on a Sunday/;

const subjects = [{ kind: "ServiceAccount", ...account }];
const roleRef = (name: string) => ({
  apiGroup: "rbac.authorization.k8s.io",
  kind: "ClusterRole",
  name,
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

/** It may read everything, and write where it is bound. */
const permissions: readonly Item[] = [
  { kind: "ServiceAccount", metadata: account },
  role("mirror-read", ["get", "list"], ["namespaces", "services", "endpoints"]),
  {
    kind: "ClusterRoleBinding",
    metadata: { name: "mirror-read" },
    subjects,
    roleRef: roleRef("mirror-read"),
  },
  role("mirror", ["create", "update", "delete"], ["services", "endpoints"]),
  binding("failures-allowed"),
  binding("failures-denied"),
];

const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE", "UPDATE"] };
const matchConstraints = { resourceRules: [{ ...rule, resources: ["services"] }] };

/** East denies one Service, and sets a label on those in one namespace. */
const policies: readonly Item[] = [
  {
    kind: "ValidatingAdmissionPolicy",
    metadata: { name: "not-on-a-sunday" },
    spec: {
      failurePolicy: "Fail",
      matchConstraints,
      validations: [
        {
          expression:
            "object.metadata.namespace != 'failures-denied' || !object.metadata.name.startsWith('db-1-')",
          message: "not on a Sunday",
        },
      ],
    },
  },
  {
    kind: "ValidatingAdmissionPolicyBinding",
    metadata: { name: "not-on-a-sunday" },
    spec: { policyName: "not-on-a-sunday", validationActions: ["Deny"] },
  },
  {
    kind: "MutatingAdmissionPolicy",
    metadata: { name: "team" },
    spec: {
      failurePolicy: "Fail",
      reinvocationPolicy: "Never",
      matchConstraints,
      matchConditions: [
        {
          name: "mirror",
          expression: 'object.metadata.namespace == "failures-allowed"',
        },
      ],
      mutations: [
        {
          patchType: "ApplyConfiguration",
          applyConfiguration: {
            expression: 'Object{metadata: Object.metadata{labels: {"team": "platform"}}}',
          },
        },
      ],
    },
  },
  {
    kind: "MutatingAdmissionPolicyBinding",
    metadata: { name: "team" },
    spec: { policyName: "team" },
  },
];
