import assert from "node:assert/strict";

import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import { until } from "../../bed/bed.ts";
import { post } from "../access-clusters.ts";
import type { Config } from "../../bed/stack.ts";
import { exported, kinds, service } from "./objects.ts";
import { bedWithGateway, create, type SharedBed } from "./shared-bed.ts";
import { Stack } from "./stack.ts";
import { servicesIn } from "./view.ts";

const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const routes = "/apis/policy.linkerd.io/v1beta3/namespaces/shop/httproutes";
const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

/** Each test continues from the one before. */
describe("a Service whose requests are routed to other clusters", function () {
  this.timeout("10m");

  let shared: SharedBed;
  let stack: Stack;
  let allow = () => Promise.resolve();
  const config = (more: Config = {}) => ({
    clusters: { west: {}, east: { failover: { "shop/web": ["local", "west"] } } },
    links: [{ source: "east", target: "west", ...more }],
  });

  before(async () => {
    shared = await bedWithGateway("shop");
    const { west, east } = shared.kube;
    await create(west, [service("shop/web", { labels: exported })]);
    await create(east, [service("shop/web", {})]);
    stack = await Stack.create(shared, "failover", config());
  });
  after(async () => {
    await shared.bed.clusters.east.request("DELETE", `${crds}/httproutes.policy.linkerd.io`);
  });

  it("fails the run where Linkerd's CRDs are missing, and has its mirror", async () => {
    assert.match(
      (await stack.up({ fails: true })).text,
      /does not serve httproutes\.policy\.linkerd\.io/,
    );
    assert.deepEqual(await servicesIn(shared.kube.east, "shop"), ["web", "web-west"]);
  });

  it("has a route for each port, and leaves one of the user's alone", async () => {
    const { east } = shared.bed.clusters;
    await post(east, crds, httpRouteCrd);
    await until("HTTPRoutes", [], async () => {
      return (await east.request("GET", routes)).code === 200 || undefined;
    });
    await post(east, routes, {
      apiVersion: "policy.linkerd.io/v1beta3",
      kind: "HTTPRoute",
      metadata: { name: "mine" },
      spec: { parentRefs: [{ group: "core", kind: "Service", name: "api" }] },
    });
    const { text } = await stack.upAsPreviewed();
    assert.match(
      text,
      /east: HTTPRoutes \+2 \(\+ shop\/web-failover-555, shop\/web-failover-666\)/,
    );
    assert.deepEqual(await routesInEast(), ["mine", "web-failover-555", "web-failover-666"]);
  });

  it("is split in the same routes", async () => {
    const traffic = { "shop/web": { local: 90, west: 10 } };
    await stack.configure({ ...config(), clusters: { west: {}, east: { traffic } } });
    const { text } = await stack.upAsPreviewed();
    assert.match(text, /split of web:555: web 90, web-west 10/);
    assert.deepEqual(await routesInEast(), ["mine", "web-failover-555", "web-failover-666"]);
  });

  it("leaves a drained cluster that doesn't answer, as whatif says, and returns to it", async () => {
    const { west, east } = shared.kube;
    const member = { "mirror.linkerd.io/federated": "member" };
    await create(west, [service("shop/api", { labels: member })]);
    await create(east, [service("shop/api", { labels: member })]);
    await stack.up();
    const members = async () => {
      const found = await east.list(kinds.Service, { namespace: "shop" });
      const federated = found.find(({ metadata }) => metadata.name === "api-federated");
      return federated?.metadata.annotations?.["multicluster.linkerd.io/remote-discovery"];
    };
    assert.equal(await members(), "api@west");
    const { clusters, ...rest } = config();
    await shared.bed.clusters.west.cut();
    await stack.configure({ ...rest, clusters: { ...clusters, west: { drained: true } } });
    const { text } = await stack.up();
    assert.match(text, /east: drain of west: 0 unavailable, 2 degraded/);
    for (const key of ["shop/web", "shop/api-federated"])
      assert.match(text, new RegExp(`east: ${key}: degraded, still served by east`));
    assert.deepEqual([await members(), await routesInEast()], [undefined, ["mine"]]);
    await shared.bed.clusters.west.restore();
    await stack.configure(config());
    await stack.up();
    assert.equal(await members(), "api@west");
    assert.deepEqual(await routesInEast(), ["mine", "web-failover-555", "web-failover-666"]);
    for (const kube of [west, east])
      await kube.remove(kinds.Service, { namespace: "shop", name: "api" });
    await stack.up();
  });

  it("keeps the mirror of its former name as long as admission refuses the new one", async () => {
    const { east } = shared.kube;
    await stack.configure(config({ names: "{target}-{service}", formerNames: "delete" }));
    await refuse("CREATE", { apiGroups: [""], apiVersions: ["v1"], resources: ["services"] }, () =>
      shared.bed.clusters.east.request("POST", "/api/v1/namespaces/shop/services?dryRun=All", {
        metadata: { name: "probe" },
        spec: { ports: [{ port: 80 }] },
      }),
    );
    assert.match((await stack.up({ fails: true })).text, /mirror east\/shop\/web-west stays/);
    assert.deepEqual(await servicesIn(east, "shop"), ["web", "web-west"]);
    await allow();
    await stack.up();
    assert.deepEqual(await servicesIn(east, "shop"), ["web", "west-web"]);
  });

  it("keeps its mirror as long as admission refuses to delete the routes", async () => {
    const { east } = shared.bed.clusters;
    const rule = {
      apiGroups: ["policy.linkerd.io"],
      apiVersions: ["*"],
      resources: ["httproutes"],
    };
    await refuse("DELETE", rule, () => east.request("DELETE", `${routes}/mine?dryRun=All`));
    const { text } = await stack.run("destroy", [], { fails: true });
    assert.match(text, /HTTPRoute shop\/web-failover-555 still sends requests there/);
    assert.deepEqual(await servicesIn(shared.kube.east, "shop"), ["web", "west-web"]);
    await allow();
  });

  it("loses them on destroy, and the user's stays", async () => {
    await stack.run("destroy");
    assert.deepEqual(await routesInEast(), ["mine"]);
  });

  /** Refuses these requests in the namespace of the mirrors, once the probe is refused. */
  async function refuse(
    operation: string,
    rule: object,
    probe: () => Promise<{ readonly code: number }>,
  ): Promise<void> {
    const metadata = { name: "refused" };
    const matchConstraints = {
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "shop" } },
      resourceRules: [{ ...rule, operations: [operation] }],
    };
    const validations = [{ expression: "false", message: "refused for a test" }];
    const spec = { failurePolicy: "Fail", matchConstraints, validations };
    const bound = { policyName: "refused", validationActions: ["Deny"] };
    await create(shared.kube.east, [
      { kind: "ValidatingAdmissionPolicy", metadata, spec },
      { kind: "ValidatingAdmissionPolicyBinding", metadata, spec: bound },
    ]);
    allow = async () => {
      await shared.kube.east.remove(kinds.ValidatingAdmissionPolicyBinding, metadata);
      await shared.kube.east.remove(kinds.ValidatingAdmissionPolicy, metadata);
      await until(
        "the end of the refusal",
        [],
        async () => (await probe()).code < 400 || undefined,
      );
    };
    await until("a refusal", [], async () => (await probe()).code >= 400 || undefined);
  }

  async function routesInEast(): Promise<readonly string[]> {
    const found = await shared.kube.east.list(resources.httpRoutes, { namespace: "shop" });
    return found.map(({ metadata }) => metadata.name).sort();
  }
});

const httpRouteCrd = {
  metadata: { name: "httproutes.policy.linkerd.io" },
  spec: {
    group: "policy.linkerd.io",
    names: {
      kind: "HTTPRoute",
      plural: "httproutes",
      singular: "httproute",
      listKind: "HTTPRouteList",
    },
    scope: "Namespaced",
    versions: [
      {
        name: "v1beta3",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: "object", properties: { spec: anything, status: anything } },
        },
        subresources: { status: {} },
      },
    ],
  },
};
