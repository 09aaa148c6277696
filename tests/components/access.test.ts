import assert from "node:assert/strict";
import { inspect } from "node:util";
import { parse } from "yaml";
import { kubeconfigFor } from "../../engine/credentials/kubeconfig.ts";
import type { LinkAccountArgs } from "../../components/link-account.ts";
import { linkManifestSpec, linkMetadata } from "../../engine/credentials/link-manifest.ts";
import { accessRules } from "../../engine/credentials/rules.ts";
import { link } from "../unit/fixtures/link.ts";
import { account, facts, graph, namespaces, token } from "./access-graph.ts";

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

describe("a link's access and credentials", function () {
  this.timeout(30_000);

  it("are an account of the consumer's own in the target, with the rights of this link", async () => {
    const { resource } = await graph();
    const metadata = { name: account, labels };
    assert.deepEqual(resource("kubernetes:core/v1:ServiceAccount", "east/west").inputs, {
      apiVersion: "v1",
      kind: "ServiceAccount",
      automountServiceAccountToken: false,
      metadata: { ...metadata, namespace: "linkerd-multicluster" },
    });
    const role = resource("kubernetes:rbac.authorization.k8s.io/v1:ClusterRole", "east/west");
    assert.deepEqual(role.inputs.metadata, metadata);
    assert.deepEqual(role.inputs.rules, accessRules([{ controller: false, discovery: true }]));
    const type = "kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding";
    const { inputs } = resource(type, "east/west");
    assert.deepEqual(inputs.metadata, metadata);
    assert.deepEqual(inputs.roleRef, {
      apiGroup: "rbac.authorization.k8s.io",
      kind: "ClusterRole",
      name: account,
    });
    assert.deepEqual(inputs.subjects, [
      { kind: "ServiceAccount", name: account, namespace: "linkerd-multicluster" },
    ]);
  });

  it("have no rights for discovery, nor another Secret, until the target has something to discover", async () => {
    const { discovers, ...rest } = facts;
    const none = await graph({}, { preview: false, known: true, facts: rest });
    const role = none.resource("kubernetes:rbac.authorization.k8s.io/v1:ClusterRole", "east/west");
    assert.deepEqual(role.inputs.rules, accessRules([{ controller: false, discovery: false }]));
    const check = none.resource("pulumi-nodejs:dynamic/linkerd:TokenCheck", "east/west");
    assert.deepEqual(check.inputs.rules, role.inputs.rules);
    // Another annotation, so another Secret once there is: the destination controller has to see it come.
    const secret = none.resource("kubernetes:core/v1:Secret", "east/west/destination");
    const { annotations } = secret.inputs.metadata as { annotations: Record<string, string> };
    assert.equal(annotations["linkerd-multicluster/discovery"], "false");
    // Linkerd's controller mirrors at any time, and the target need not be asked.
    const controller = await graph(
      { mirroring: "controller" },
      { preview: false, known: true, facts: rest },
    );
    const asked = controller.resource("pulumi-nodejs:dynamic/linkerd:LinkTarget", "east/west");
    assert.equal(asked.inputs["discoverySelectors"], undefined);
    const other = controller.resource(
      "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole",
      "east/west",
    );
    assert.deepEqual(other.inputs.rules, accessRules([{ controller: true, discovery: true }]));
  });

  it("have a token Secret under the name that is due, made before the old one goes", async () => {
    const { resource } = await graph();
    const { inputs, deleteBeforeReplace } = resource(
      "kubernetes:core/v1:Secret",
      "east/west/token",
    );
    assert.deepEqual(inputs, {
      apiVersion: "v1",
      kind: "Secret",
      type: "kubernetes.io/service-account-token",
      metadata: {
        name: facts.token,
        namespace: "linkerd-multicluster",
        labels,
        annotations: { "kubernetes.io/service-account.name": account },
      },
    });
    assert.equal(deleteBeforeReplace, false);
  });

  it("are two Secrets in the source, the same kubeconfig in both, secret in both", async () => {
    const { resource } = await graph();
    const type = "mirror.linkerd.io/remote-kubeconfig";
    const name = "cluster-credentials-west";
    const mirror = resource("kubernetes:core/v1:Secret", "east/west/mirror");
    assert.deepEqual(mirror.inputs, {
      ...{ apiVersion: "v1", kind: "Secret", type, data },
      metadata: { name, namespace: "linkerd-multicluster" },
    });
    const destination = resource("kubernetes:core/v1:Secret", "east/west/destination");
    assert.deepEqual(destination.inputs, {
      ...{ apiVersion: "v1", kind: "Secret", type, data },
      metadata: {
        name,
        namespace: "linkerd",
        labels: { "multicluster.linkerd.io/cluster-name": "west" },
        annotations: {
          "multicluster.linkerd.io/trust-domain": "trust.example",
          "multicluster.linkerd.io/cluster-domain": "cluster.local",
          "linkerd-multicluster/discovery": "true",
        },
      },
    });
    assert.deepEqual([mirror.secrets, destination.secrets], [["data"], ["data"]]);
  });

  it("replace the destination controller's copy on any change, deleting it first", async () => {
    const { resource } = await graph();
    const destination = resource("kubernetes:core/v1:Secret", "east/west/destination");
    assert.equal(destination.deleteBeforeReplace, true);
    assert.deepEqual(destination.replaceOnChanges, ["*"]);
    const mirror = resource("kubernetes:core/v1:Secret", "east/west/mirror");
    assert.deepEqual([mirror.deleteBeforeReplace, mirror.replaceOnChanges], [false, []]);
  });

  it("have a Link resource in the source", async () => {
    const { resource } = await graph();
    const { inputs } = resource("kubernetes:multicluster.linkerd.io/v1alpha3:Link", "east/west");
    assert.deepEqual(inputs, {
      apiVersion: "multicluster.linkerd.io/v1alpha3",
      kind: "Link",
      metadata: linkMetadata("west", namespaces),
      spec: linkManifestSpec(link(), facts, namespaces, "pulumi"),
    });
  });

  it("come in the order in which nothing is told of what does not work yet", async () => {
    const { order, needs } = await graph();
    // The account, its role and the reading of the target wait for nothing but Linkerd; neither of
    // the two copies waits for the other.
    const free = order.slice(1, 4).sort();
    const copies = order.slice(7, 9).sort();
    assert.deepEqual(
      [order[0], ...free, ...order.slice(4, 7), ...copies, ...order.slice(9)],
      [
        "test:Linkerd before",
        "kubernetes:core/v1:ServiceAccount east/west",
        "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole east/west",
        "pulumi-nodejs:dynamic/linkerd:LinkTarget east/west",
        "kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding east/west",
        "kubernetes:core/v1:Secret east/west/token",
        "pulumi-nodejs:dynamic/linkerd:TokenCheck east/west",
        "kubernetes:core/v1:Secret east/west/destination",
        "kubernetes:core/v1:Secret east/west/mirror",
        "kubernetes:multicluster.linkerd.io/v1alpha3:Link east/west",
        "test:Mirrors after",
      ],
    );
    assert.deepEqual(needs("kubernetes:core/v1:Secret", "east/west/token"), [
      "ClusterRole east/west",
      "ClusterRoleBinding east/west",
      "LinkTarget east/west",
      "ServiceAccount east/west",
    ]);
    assert.deepEqual(needs("pulumi-nodejs:dynamic/linkerd:TokenCheck", "east/west"), [
      "ClusterRole east/west",
      "ClusterRoleBinding east/west",
      "LinkTarget east/west",
      "Secret east/west/token",
      "ServiceAccount east/west",
    ]);
    for (const copy of ["mirror", "destination"])
      assert.deepEqual(needs("kubernetes:core/v1:Secret", `east/west/${copy}`), [
        "LinkTarget east/west",
        "Secret east/west/token",
        "TokenCheck east/west",
      ]);
    assert.deepEqual(needs("kubernetes:multicluster.linkerd.io/v1alpha3:Link", "east/west"), [
      "LinkTarget east/west",
      "Secret east/west/destination",
      "Secret east/west/mirror",
    ]);
    assert.deepEqual(needs("test:Mirrors", "after"), [
      "Link east/west",
      "Secret east/west/destination",
      "Secret east/west/mirror",
    ]);
  });

  it("go to the cluster they are for, each by its own provider", async () => {
    const { resources } = await graph();
    const providers = resources
      .filter(({ type, custom }) => custom && type.startsWith("kubernetes:"))
      .map(({ type, name, provider }) => `${type.split(":")[2] ?? ""} ${name}: ${provider}`);
    assert.deepEqual(providers.sort(), [
      "ClusterRole east/west: west",
      "ClusterRoleBinding east/west: west",
      "Link east/west: east",
      "Secret east/west/destination: east",
      "Secret east/west/mirror: east",
      "Secret east/west/token: west",
      "ServiceAccount east/west: west",
    ]);
  });

  it("ask the target about just what the stack config says", async () => {
    const rotation = { generation: 3, maxAgeDays: 30 };
    const apiServer = "https://10.0.0.1";
    const target: LinkAccountArgs["target"] = { access: { context: "k3d-west" }, apiServer };
    const { resource } = await graph({ rotation, target });
    const { __provider, ...inputs } = resource(
      "pulumi-nodejs:dynamic/linkerd:LinkTarget",
      "east/west",
    ).inputs;
    assert.match(String(__provider), /linkTargets/);
    assert.deepEqual(inputs, {
      ...{
        source: "east",
        sourceAccess: { context: "k3d-east" },
        target: "west",
        targetDomain: "cluster.local",
      },
      ...{ linkerdNamespace: "linkerd", multiclusterNamespace: "linkerd-multicluster" },
      ...{ access: { context: "k3d-west" }, apiServer, rotation },
      discoverySelectors: [
        { matchLabels: { "mirror.linkerd.io/exported": "remote-discovery" } },
        { matchLabels: { "mirror.linkerd.io/federated": "member" } },
      ],
      gateway: { namespace: "linkerd-multicluster", name: "linkerd-gateway" },
    });
  });

  it("never give the token to anything but the two Secrets, where it is marked as one", async () => {
    const { resources } = await graph();
    const secrets = new Set(["east/west/mirror", "east/west/destination"]);
    for (const { name, type, inputs } of resources) {
      const text = inspect(inputs, { depth: Infinity });
      const holds = [token, Buffer.from(token).toString("base64"), data.kubeconfig].some((form) =>
        text.includes(form),
      );
      assert.equal(holds, secrets.has(name), `${type} ${name}`);
    }
    assert.match(kubeconfig, new RegExp(token));
  });

  it("are as few as the link needs", async () => {
    const spec = link({ remoteDiscoverySelector: {}, federatedServiceSelector: {} });
    const { resource } = await graph({ spec, mirroring: "controller" });
    const role = resource("kubernetes:rbac.authorization.k8s.io/v1:ClusterRole", "east/west");
    assert.deepEqual(role.inputs.rules, accessRules([{ controller: true, discovery: false }]));
    const check = resource("pulumi-nodejs:dynamic/linkerd:TokenCheck", "east/west");
    assert.deepEqual(check.inputs.rules, role.inputs.rules);
    assert.equal(check.inputs.secret, facts.token);
  });

  it("leave a kubeconfig that says nothing of the runner", () => {
    const { users } = parse(kubeconfig) as { users: unknown };
    assert.deepEqual(users, [{ name: account, user: { token } }]);
  });
});
