import { deepEqual, equal } from "node:assert/strict";
import { linkMetadata } from "../../engine/credentials/objects.ts";
import type { Raw } from "../unit/config/table.ts";
import { accessRules } from "../../engine/credentials/rules.ts";
import { account, facts, type Graph, graph, namespaces } from "./access-graph.ts";
import { types } from "./mocked-mesh.ts";

const labels = {
  "linkerd.io/extension": "multicluster",
  "app.kubernetes.io/managed-by": "linkerd-multicluster",
};
const role = "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole";
const binding = `${role}Binding`;
const serviceAccount = "kubernetes:core/v1:ServiceAccount";
const namespace = "linkerd-multicluster";
/** This stands in a preview for a value that only the update will know. */
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

  const { discovers, ...nothingToDiscover } = facts;
  const undiscovered = { remoteDiscoverySelector: {}, federatedServiceSelector: {} };
  const cases = {
    "for discovery of what the target has": {
      keys: {},
      target: facts,
      use: { controller: false, discovery: true },
    },
    "without discovery until the target has something to discover": {
      keys: {},
      target: nothingToDiscover,
      use: { controller: false, discovery: false },
    },
    "for discovery at any time where Linkerd's controller mirrors": {
      keys: { mirroring: "controller" },
      target: nothingToDiscover,
      use: { controller: true, discovery: true },
    },
    "without discovery where nothing is selected for it": {
      keys: { ...undiscovered, mirroring: "controller" },
      target: facts,
      use: { controller: true, discovery: false },
    },
  };
  for (const [what, { keys, target, use }] of Object.entries(cases))
    it(`have rights ${what}`, async () => {
      const other = await graph(keys, { facts: target });
      const rules = accessRules(use);
      deepEqual(inputsOf(role, "east/west", other).rules, rules);
      const check = inputsOf(types.tokenCheck, "east/west", other);
      deepEqual([check.rules, check.secret], [rules, facts.token]);
      // The annotation changes with the rights, and so does the Secret, which the destination controller reads again.
      const { metadata } = inputsOf(types.secret, "east/west/destination", other);
      const values = { trust: "trust.example", cluster: "cluster.local" };
      deepEqual(metadata, destination({ ...values, discovery: String(use.discovery) }));
      const asked = inputsOf(types.target, "east/west", other)["discoverySelectors"];
      equal(asked === undefined, use.controller, "the target is asked only if that decides");
    });

  it("include a token Secret with the current name, created before the old one is deleted", () => {
    deepEqual(inputsOf(types.secret, "east/west/token"), tokenSecret(facts.token));
    equal(made.resource(types.secret, "east/west/token").deleteBeforeReplace, false);
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
    const owner = "organization/mesh/test east/west";
    deepEqual(inputs(types.linkCr), {
      metadata: linkMetadata("west", namespaces, owner),
      spec: unknown,
    });
    const { annotations } = inputs(serviceAccount)["metadata"] as Raw;
    deepEqual(annotations, { "linkerd-multicluster/link": owner });
    deepEqual(inputs(types.tokenCheck)["secret"], unknown);
  });

  it("have an unknown token in a preview of a rotation, although its Secret is reported as empty", async () => {
    const previewed = await graph({}, { preview: true });
    for (const copy of ["mirror", "destination"])
      deepEqual(inputsOf(types.secret, `east/west/${copy}`, previewed)["data"], unknown);
  });
});
