import { deepEqual, equal } from "node:assert/strict";
import { kubeconfigFor } from "../../engine/credentials/kubeconfig.ts";
import { linkManifestSpec, linkMetadata } from "../../engine/credentials/objects.ts";
import { accessRules } from "../../engine/credentials/rules.ts";
import { link } from "../unit/fixtures/link.ts";
import { account, facts, type Graph, graph, namespaces, token } from "./access-graph.ts";
import { types } from "./mocked-mesh.ts";
import { isSecret } from "./mocked-stack.ts";

const kubeconfig = kubeconfigFor({
  server: facts.server,
  certificateAuthority: "Q0E=",
  token,
  cluster: "west",
  user: account,
});
const data = { kubeconfig: Buffer.from(kubeconfig).toString("base64") };
const labels = {
  "linkerd.io/extension": "multicluster",
  "app.kubernetes.io/managed-by": "linkerd-multicluster",
};
const role = "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole";
const binding = `${role}Binding`;
const serviceAccount = "kubernetes:core/v1:ServiceAccount";
const namespace = "linkerd-multicluster";
/** What stands in a preview for what only the update will know. */
const unknown = { __pulumiUnknown: true };

describe("a link's access and credentials", function () {
  this.timeout(30_000);
  let made: Graph;
  before(async () => {
    made = await graph();
  });

  const inputsOf = (type: string, name = "east/west", { resource } = made) => {
    const { apiVersion, kind, __provider, ...inputs } = resource(type, name).inputs;
    return inputs;
  };
  const tokenSecret = (name: unknown) => ({
    type: "kubernetes.io/service-account-token",
    metadata: {
      name,
      namespace,
      labels,
      annotations: { "kubernetes.io/service-account.name": account },
    },
  });
  const destination = (values: Readonly<Record<"trust" | "cluster" | "discovery", unknown>>) => ({
    name: "cluster-credentials-west",
    namespace: "linkerd",
    labels: { "multicluster.linkerd.io/cluster-name": "west" },
    annotations: {
      "multicluster.linkerd.io/trust-domain": values.trust,
      "multicluster.linkerd.io/cluster-domain": values.cluster,
      "linkerd-multicluster/discovery": values.discovery,
    },
  });

  it("include an account for this consumer in the target, with this link's rights", () => {
    const metadata = { name: account, labels };
    deepEqual(inputsOf(serviceAccount), {
      automountServiceAccountToken: false,
      metadata: { ...metadata, namespace },
    });
    const rules = accessRules({ controller: false, discovery: true });
    deepEqual(inputsOf(role), { metadata, rules });
    deepEqual(inputsOf(binding), {
      metadata,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: account },
      subjects: [{ kind: "ServiceAccount", name: account, namespace }],
    });
  });

  const { discovers, ...nothingToDiscover } = facts;
  const undiscovered = { remoteDiscoverySelector: {}, federatedServiceSelector: {} };
  for (const [name, args, target, use] of [
    [
      "no rights for discovery until the target has something to discover",
      {},
      nothingToDiscover,
      { controller: false, discovery: false },
    ],
    [
      "them where Linkerd's controller mirrors, which it does at any time",
      { mirroring: "controller" },
      nothingToDiscover,
      { controller: true, discovery: true },
    ],
    [
      "none of them where nothing is selected for it",
      { ...undiscovered, mirroring: "controller" },
      facts,
      { controller: true, discovery: false },
    ],
  ] as const)
    it(`have ${name}`, async () => {
      const other = await graph(args, { facts: target });
      const rules = accessRules(use);
      deepEqual(inputsOf(role, "east/west", other).rules, rules);
      const check = inputsOf(types.tokenCheck, "east/west", other);
      deepEqual([check.rules, check.secret], [rules, facts.token]);
      // Another annotation, so another Secret once there is: the destination controller has to see it come.
      const { metadata } = inputsOf(types.secret, "east/west/destination", other);
      const values = { trust: "trust.example", cluster: "cluster.local" };
      deepEqual(metadata, destination({ ...values, discovery: String(use.discovery) }));
      const asked = inputsOf(types.target, "east/west", other)["discoverySelectors"];
      equal(asked === undefined, use.controller, "the target need not be asked");
    });

  it("include a token Secret with the current name, created before the old one is deleted", () => {
    deepEqual(inputsOf(types.secret, "east/west/token"), tokenSecret(facts.token));
    equal(made.resource(types.secret, "east/west/token").deleteBeforeReplace, false);
  });

  it("include two Secrets in the source with the same encrypted kubeconfig", () => {
    const type = "mirror.linkerd.io/remote-kubeconfig";
    const copies = ["mirror", "destination"].map((part) => `east/west/${part}`);
    deepEqual(
      copies.map((name) => inputsOf(types.secret, name)),
      [
        { type, data, metadata: { name: "cluster-credentials-west", namespace } },
        {
          type,
          data,
          metadata: destination({
            trust: "trust.example",
            cluster: "cluster.local",
            discovery: "true",
          }),
        },
      ],
    );
    for (const name of copies) equal(isSecret(made.resource(types.secret, name).sent.data), true);
  });

  it("replace the destination controller's copy on any change, and delete it first", () => {
    const copies = ["destination", "mirror"].map((part) => {
      const found = made.resource(types.secret, `east/west/${part}`);
      return [found.deleteBeforeReplace, found.replaceOnChanges];
    });
    deepEqual(copies, [
      [true, ["*"]],
      [false, []],
    ]);
  });

  it("include a Link resource in the source", () => {
    deepEqual(inputsOf(types.linkCr), {
      metadata: linkMetadata("west", namespaces),
      spec: linkManifestSpec(link(), facts, namespaces, "pulumi"),
    });
  });

  it("are created in an order in which nothing gets what doesn't work yet", () => {
    const rights = [serviceAccount, role, binding].map((type) => `${type} east/west`);
    const target = `${types.target} east/west`;
    const secret = `${types.secret} east/west/token`;
    const check = `${types.tokenCheck} east/west`;
    const copies = ["destination", "mirror"].map((part) => `${types.secret} east/west/${part}`);
    const needs = new Map(
      made.resources.map(({ type, name, dependencies }) => [
        `${type} ${name}`,
        dependencies.filter((each) => each.endsWith("east/west") || each.includes("east/west/")),
      ]),
    );
    for (const [each, needed] of [
      [secret, [...rights, target]],
      [check, [...rights, target, secret]],
      ...copies.map((copy) => [copy, [target, secret, check]] as const),
      [`${types.linkCr} east/west`, [target, ...copies]],
    ] as const)
      deepEqual(needs.get(each), needed.toSorted(), each);
  });

  it("ask the target only about what the stack config names", async () => {
    const keys = { credentialsGeneration: 3, credentialsMaxAge: 30 };
    deepEqual(inputsOf(types.target, "east/west", await graph(keys)), {
      source: "east",
      sourceAccess: { context: "k3d-east" },
      target: "west",
      targetDomain: "cluster.local",
      linkerdNamespace: "linkerd",
      multiclusterNamespace: namespace,
      access: { context: "k3d-west" },
      rotation: { generation: 3, maxAgeDays: 30 },
      discoverySelectors: [
        { matchLabels: { "mirror.linkerd.io/exported": "remote-discovery" } },
        { matchLabels: { "mirror.linkerd.io/federated": "member" } },
      ],
      gateway: { namespace, name: "linkerd-gateway" },
    });
  });

  it("are unknown, without an error, in a preview of a mesh that doesn't exist yet", async () => {
    const previewed = await graph({}, { preview: true, facts: undefined });
    const inputs = (type: string, name?: string) => inputsOf(type, name, previewed);
    deepEqual(inputs(types.secret, "east/west/token"), tokenSecret(unknown));
    deepEqual(inputs(types.secret, "east/west/destination"), {
      type: "mirror.linkerd.io/remote-kubeconfig",
      data: unknown,
      metadata: destination({ trust: unknown, cluster: unknown, discovery: unknown }),
    });
    deepEqual(inputs(types.linkCr), { metadata: linkMetadata("west", namespaces), spec: unknown });
    deepEqual(inputs(types.tokenCheck)["secret"], unknown);
  });

  it("have an unknown token in a preview of a rotation, although its Secret is reported as empty", async () => {
    const previewed = await graph({}, { preview: true });
    for (const copy of ["mirror", "destination"])
      deepEqual(inputsOf(types.secret, `east/west/${copy}`, previewed)["data"], unknown);
  });
});
