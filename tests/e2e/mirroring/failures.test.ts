import assert from "node:assert/strict";
import { join } from "node:path";

import { until } from "../../../testbed/bed.ts";
import { writeKubeconfig } from "../../../testbed/kubeconfig.ts";
import { bedWithGateway } from "./gateway.ts";
import { gatewayMirror, headlessMirror, nothing, type Contents } from "./mirrors.ts";
import { exportedHeadless, exportedService, type Item, kinds } from "./objects.ts";
import { Stack } from "./stack.ts";
import { contentsOf } from "./view.ts";
import { create, type SharedBed } from "./shared-bed.ts";

const account = { namespace: "failures-allowed", name: "mirror" };
const user = `system:serviceaccount:${account.namespace}:${account.name}`;
const namespaces = ["failures-allowed", "failures-denied", "failures-forbidden"];

describe("a run that can't do everything", function () {
  this.timeout("20m");

  let shared: SharedBed;
  let stack: Stack;
  let token: string;

  before(async () => {
    shared = await bedWithGateway(...namespaces);
    const { west, east } = shared.kube;
    await create(west, [
      ...exportedService("failures-allowed/web"),
      ...exportedHeadless("failures-denied/db", ["db-0", "db-1"]),
      ...exportedService("failures-forbidden/web"),
    ]);
    await create(east, [...permissions, ...policy]);
    token = await tokenIn(shared);
    await policyIsInForce(shared);
    const kubeconfig = join(shared.bed.folder, "failures.kubeconfig");
    const access = { ...shared.bed.clusters.east.access, token };
    await writeKubeconfig(kubeconfig, [{ name: "east", access }]);
    const clusters = { west: {}, east: { kubeconfig } };
    const links = [{ source: "east", target: "west", headless: true }];
    stack = await Stack.create(shared, "failures", { clusters, links }, [token]);
  });
  it("does what it can, lists what it can't object by object, and fails", async () => {
    const { text } = await stack.up({ fails: true });
    for (const sentence of [forbidden, denied]) assert.match(text, sentence);
    assert.doesNotMatch(text, /^\s+at \S+ \(/m);
    await assertContents({
      "failures-allowed": gatewayMirror({ namespace: "failures-allowed", service: "web" }),
      // The pod that could not be mirrored is left out of the headless mirror, until it can.
      "failures-denied": headlessMirror({
        namespace: "failures-denied",
        service: "db",
        hosts: ["db-0"],
      }),
      "failures-forbidden": nothing,
    });
  });

  it("keeps what it did in the state, and no credential", async () => {
    const state = await stack.export();
    assert.match(state, /"failures-allowed\/web-west": "gateway mirror of web/);
    assert.match(state, /"initErrors"/);
  });

  it("says in the next preview what is still to do", async () => {
    const { changes } = await stack.previewed();
    assert.deepEqual(Object.keys(changes).sort(), [
      "failures-denied/db-1-west",
      "failures-denied/db-west",
      "failures-forbidden/web-west",
    ]);
  });

  it("goes on where it stopped once it may", async () => {
    const { east } = shared.kube;
    for (const { kind, object } of [...policy].reverse())
      await east.remove(kinds[kind], object.metadata);
    await create(east, [binding("failures-forbidden")]);
    await until("the end of the policy", [], async () =>
      (await isDenied(shared)) ? undefined : true,
    );
    await stack.up();
    await assertContents({
      "failures-denied": headlessMirror({
        namespace: "failures-denied",
        service: "db",
        hosts: ["db-0", "db-1"],
      }),
      "failures-forbidden": gatewayMirror({ namespace: "failures-forbidden", service: "web" }),
    });
    await stack.assertSettled();
  });

  async function assertContents(expected: Readonly<Record<string, Contents>>): Promise<void> {
    for (const [namespace, contents] of Object.entries(expected))
      assert.deepEqual(await contentsOf(shared, namespace), contents, namespace);
  }
});

const forbidden = new RegExp(
  `cluster east does not let user ${user} create Service failures-forbidden/web-west; grant create on services in namespace failures-forbidden`,
);
const denied =
  /cluster east rejects the request to create Service failures-denied\/db-1-west .*denied request: not on a Sunday/;

const rules = (verbs: readonly string[], list: readonly string[]) => [
  { apiGroups: [""], resources: list, verbs },
];
const subjects = [{ kind: "ServiceAccount", ...account }];
const rbac = (kind: string) => ({ apiGroup: "rbac.authorization.k8s.io", kind, name: "mirror" });

function binding(namespace: string): Item {
  const metadata = { namespace, name: "mirror" };
  return {
    kind: "RoleBinding",
    object: { metadata, subjects, roleRef: rbac("ClusterRole") },
  };
}

/** Reads everything, and writes where it is bound. */
const permissions: readonly Item[] = [
  { kind: "ServiceAccount", object: { metadata: account } },
  {
    kind: "ClusterRole",
    object: {
      metadata: { name: "mirror-read" },
      rules: rules(["get", "list"], ["namespaces", "services", "endpoints"]),
    },
  },
  {
    kind: "ClusterRoleBinding",
    object: {
      metadata: { name: "mirror-read" },
      subjects,
      roleRef: { ...rbac("ClusterRole"), name: "mirror-read" },
    },
  },
  {
    kind: "ClusterRole",
    object: {
      metadata: { name: "mirror" },
      rules: rules(["create", "update", "delete"], ["services", "endpoints"]),
    },
  },
  binding("failures-allowed"),
  binding("failures-denied"),
];

/** The cluster's own rule against one Service. */
const policy: readonly Item[] = [
  {
    kind: "ValidatingAdmissionPolicy",
    object: {
      metadata: { name: "not-on-a-sunday" },
      spec: {
        failurePolicy: "Fail",
        matchConstraints: {
          resourceRules: [
            {
              apiGroups: [""],
              apiVersions: ["v1"],
              operations: ["CREATE"],
              resources: ["services"],
            },
          ],
        },
        validations: [
          {
            expression: "!object.metadata.name.startsWith('db-1-')",
            message: "not on a Sunday",
          },
        ],
      },
    },
  },
  {
    kind: "ValidatingAdmissionPolicyBinding",
    object: {
      metadata: { name: "not-on-a-sunday" },
      spec: { policyName: "not-on-a-sunday", validationActions: ["Deny"] },
    },
  },
];

async function tokenIn({ bed }: SharedBed): Promise<string> {
  const path = `/api/v1/namespaces/${account.namespace}/serviceaccounts/${account.name}/token`;
  const { body } = await bed.clusters.east.request("POST", path, { spec: {} });
  return (body as { readonly status: { readonly token: string } }).status.token;
}

async function policyIsInForce(shared: SharedBed): Promise<void> {
  await until("the admission policy", [], async () => (await isDenied(shared)) || undefined);
}

async function isDenied({ bed }: SharedBed): Promise<boolean> {
  const path = "/api/v1/namespaces/failures-denied/services?dryRun=All";
  const { code } = await bed.clusters.east.request("POST", path, {
    metadata: { name: "db-1-probe" },
    spec: { ports: [{ port: 80 }] },
  });
  return code !== 201;
}
