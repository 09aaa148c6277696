import { deepEqual, ok } from "node:assert/strict";
import { type MockedMesh, mockedMesh, predecessors, types } from "./mocked-mesh.ts";

const clusters = { west: { apiServer: "https://west:6443" }, east: null };
const link = { source: "east", target: "west" };
const prober = "registry.example.com/mesh-watch:1";
const kinds = ["apps/v1:Deployment", "core/v1:ServiceAccount"];
const rbac = ["Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"];
const all = [...kinds, ...rbac.map((kind) => `rbac.authorization.k8s.io/v1:${kind}`)].map(
  (kind) => `kubernetes:${kind}`,
);

/** A link's account in the target has the same types. */
const own = (mesh: MockedMesh) =>
  mesh.resources.filter(({ type, provider }) => all.includes(type) && provider === "east");

describe("the prober of a link", () => {
  it("is there only where the link asks for it, and this program mirrors", async () => {
    for (const [settings, number] of [
      [{ prober }, 6],
      [{}, 0],
      [{ prober: false }, 0],
      [{ gateway: false }, 6],
      [{ mirroring: "controller" }, 0],
    ] as const) {
      const isDefault = !("prober" in settings) && Object.keys(settings).length > 0;
      const linkDefaults = isDefault ? { prober } : {};
      const links = [{ ...link, ...settings }];
      const mesh = await mockedMesh({ manage: "links", clusters, links, linkDefaults });
      deepEqual(own(mesh).length, number, JSON.stringify(settings));
    }
  });

  it("has the labels and names of Linkerd's controller, and may do nothing but hold its Lease", async () => {
    const mesh = await mockedMesh({ manage: "links", clusters, links: [{ ...link, prober }] });
    const labels = {
      component: "controller",
      "mirror.linkerd.io/cluster-name": "west",
      "linkerd.io/extension": "multicluster",
      "app.kubernetes.io/managed-by": "linkerd-multicluster",
    };
    const found = own(mesh).map(({ type, inputs }) => {
      const { metadata } = inputs as { readonly metadata: { name: string; labels: object } };
      deepEqual(metadata.labels, labels);
      return [type.replace(/.*:/, ""), metadata.name];
    });
    const [creds, access] = ["read-remote-creds-west", "access-local-resources-west"];
    deepEqual(Object.fromEntries(found), {
      ServiceAccount: "linkerd-service-mirror-west",
      Role: `linkerd-service-mirror-${creds}`,
      RoleBinding: `linkerd-service-mirror-${creds}`,
      ClusterRole: `linkerd-service-mirror-${access}`,
      ClusterRoleBinding: `linkerd-service-mirror-${access}`,
      Deployment: "prober-west",
    });
    const rules = own(mesh).flatMap(({ inputs }) => ("rules" in inputs ? [inputs["rules"]] : []));
    const apiGroups = ["coordination.k8s.io"];
    const resourceNames = ["service-mirror-write-west"];
    // After a refresh, an empty list would be a change in every run.
    deepEqual(rules, [
      [
        { apiGroups, resources: ["leases"], resourceNames, verbs: ["patch"] },
        { apiGroups, resources: ["leases"], verbs: ["create"] },
      ],
    ]);
  });

  it("asks the probe Service as the gateway's Service says, under the port and name that Linkerd's CLI reads", async () => {
    const facts = {
      trustDomain: "cluster.local",
      gateway: { addresses: [], probe: { path: "/ready", port: 30191, period: "5s" } },
    };
    const state = [[`${types.target} east/west`, { facts }]] as const;
    const links = [{ ...link, prober }];
    const mesh = await mockedMesh({ manage: "links", clusters, links }, { state });
    const { spec } = mesh.inputs("kubernetes:apps/v1:Deployment", "east/west") as {
      readonly spec: { template: { spec: { containers: Readonly<Record<string, unknown>>[] } } };
    };
    const [{ name, image, command, args, ports } = {}] = spec.template.spec.containers;
    deepEqual([name, image], ["controller", prober]);
    deepEqual(ports, [{ name: "ctrl-admin", containerPort: 9999 }]);
    deepEqual(command, ["node", "cli/linkerd-clusters.mjs", "probe-gateway", "west"]);
    const url = "http://ping-west.linkerd-multicluster:30191/ready";
    deepEqual(args, ["--url", url, "--period", "5s"]);
  });

  it("asks nothing on a flat network, where it only stands in for Linkerd's controller", async () => {
    const facts = { trustDomain: "cluster.local" };
    const state = [[`${types.target} east/west`, { facts }]] as const;
    const links = [{ ...link, prober, gateway: false }];
    const mesh = await mockedMesh({ manage: "links", clusters, links }, { state });
    const { spec } = mesh.inputs("kubernetes:apps/v1:Deployment", "east/west") as {
      readonly spec: { template: { spec: { containers: { args: unknown }[] } } };
    };
    deepEqual(spec.template.spec.containers[0]?.args, []);
  });

  it("is what the preview of a new link names where it is missing", async () => {
    const said = async (settings: object, circumstances = {}) => {
      const links = [{ ...link, ...settings }];
      const config = { manage: "links", clusters, links };
      return (await mockedMesh(config, { preview: true, ...circumstances })).said.filter((line) =>
        line.includes("linkerd check"),
      );
    };
    deepEqual(await said({}), [
      "info: linkerd check will look for a controller of east/west for five minutes, and then fail, because this program mirrors instead: set prober on the link, or run linkerd check --wait 10s (docs/reference/linkerd-cli.md)",
    ]);
    deepEqual(await said({ prober }), []);
    deepEqual(await said({ mirroring: "controller" }), []);
    deepEqual(await said({}, { preview: false }), []);
  });

  it("comes last but for the checks, and stays as it is in a source that is away", async () => {
    const config = { manage: "links", clusters, links: [{ ...link, prober }] };
    const mesh = await mockedMesh(config);
    const deployment = "kubernetes:apps/v1:Deployment east/west";
    ok(mesh.order.indexOf(deployment) > mesh.order.indexOf(`${types.mirrors} east`));
    ok(predecessors(mesh, deployment).has(`${types.linkCr} east/west`));
    ok(!predecessors(mesh, deployment).has(`${types.mirrors} east`));
    ok(mesh.order.indexOf(deployment) < mesh.order.indexOf(`${types.health} checks`));
    const away = await mockedMesh(config, { unreachable: ["east"] });
    for (const { ignoreChanges } of own(away)) deepEqual(ignoreChanges, ["*"]);
  });
});
