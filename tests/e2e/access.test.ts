import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inspect } from "node:util";
import { discoverySelectors } from "../../engine/credentials/rules.ts";
import { linkManifestSpec } from "../../engine/credentials/link-manifest.ts";
import { linkTargets, tokenChecks } from "../../engine/providers/credentials.ts";
import type { TargetFacts, TokenCheckArgs } from "../../engine/credentials/state.ts";
import { connect } from "../../engine/kubernetes/client/connect.ts";
import { resources } from "../../engine/kubernetes/objects/resources.ts";
import { type Bed, until } from "../../testbed/bed.ts";
import { addLinkCrd, linksPath } from "../../testbed/links.ts";
import { account, type Graph, namespaces } from "../components/access-graph.ts";
import { link } from "../unit/fixtures/link.ts";
import * as clusters from "./access-clusters.ts";
import { allowedIn, denied, listable, tryOnce } from "./access-token.ts";
import { addService } from "./objects.ts";
import { type ClusterName, emptyBed } from "./mirroring/shared-bed.ts";

const readable = (verbs: readonly string[]) => ({
  apiGroups: [""],
  resources: ["services", "endpoints"],
  verbs,
});
const servers = { apiGroups: ["policy.linkerd.io"], resources: ["servers"], verbs: ["list"] };

const watched = (resource: string) => ["get", "list", "watch"].map((verb) => `${verb} ${resource}`);
const gatewayRights = [
  ...["services", "endpoints"].flatMap(watched),
  "get configmaps/linkerd-config",
];
const discoveryRights = [
  "pods",
  "endpointslices.discovery.k8s.io",
  "replicasets.apps",
  "servers.policy.linkerd.io",
].flatMap(watched);
describe("access to a real target", function () {
  this.timeout("20m");

  let bed: Bed<ClusterName>;
  let facts: TargetFacts;
  let token: string;
  let graph: Graph;

  const { linkerd, multicluster } = namespaces;
  const first = `${account}-token-1-1`;

  function checkArgs(secret: string, rules: TokenCheckArgs["rules"] = []): TokenCheckArgs {
    const { access } = clusters.question(bed);
    return { target: "west", access, namespace: multicluster, account, secret, rules };
  }

  before(async () => {
    ({ bed } = await emptyBed());
    const { west, east } = bed.clusters;
    await clusters.addNamespaces(west);
    await clusters.addNamespaces(east);
    await addLinkCrd(east);
  });

  it("is open in a preview before Linkerd is there, and says in an update what is missing", async () => {
    const { inputs, failures } = await linkTargets.check({}, clusters.question(bed));
    assert.deepEqual([failures, inputs.facts], [[], undefined]);
    assert.match(inputs.remark ?? "", /there is no ConfigMap west\/linkerd\/linkerd-config/);
    await assert.rejects(
      linkTargets.create(inputs),
      /^Error: link east\/west: there is no ConfigMap/,
    );
  });

  it("refuses a link that somebody else has made, with the way out", async () => {
    const { east } = bed.clusters;
    const sourceAccess = { context: "east", kubeconfig: bed.kubeconfig };
    const args = clusters.question(bed, { sourceAccess });
    const refusal = async () => (await linkTargets.check({}, args)).failures[0]?.reason ?? "";
    await clusters.post(east, linksPath, {
      apiVersion: "multicluster.linkerd.io/v1alpha3",
      kind: "Link",
      metadata: {
        name: "west",
        annotations: { "linkerd.io/created-by": "linkerd/cli edge-26.8.3" },
      },
      spec: { targetClusterName: "west", clusterCredentialsSecret: "creds" },
    });
    assert.match(
      await refusal(),
      /Link east\/linkerd-multicluster\/west already exists, created by linkerd\/cli edge-26\.8\.3 and not by this stack: .*kubectl --context east delete --ignore-not-found --namespace linkerd-multicluster links\/west secrets\/creds; kubectl .* --namespace linkerd secrets\/creds\), and run again/,
    );
    const annotations = { "linkerd.io/created-by": "linkerd-multicluster/0.1.0" };
    await east.request("PATCH", `${linksPath}/west`, { metadata: { annotations } });
    assert.match(
      await refusal(),
      /created by another stack of this program: remove the link from that stack first/,
    );
    assert.equal((await east.request("DELETE", `${linksPath}/west`)).code, 200);
    assert.equal(await refusal(), "");
  });

  it("waits in the first update until the gateway has an address", async () => {
    const { west } = bed.clusters;
    await clusters.addLinkerd(west);
    const { inputs } = await linkTargets.check({}, clusters.question(bed));
    assert.match(inputs.remark ?? "", /no external address yet/);
    const created = linkTargets.create(inputs);
    await clusters.addBalancerAddress(west, "192.0.2.7");
    ({ facts } = (await created).outs);
    assert.deepEqual(facts, {
      server: west.server,
      certificateAuthority: Buffer.from(`${west.access.authority.trim()}\n`).toString("base64"),
      trustDomain: "trust.example",
      clusterDomain: "cluster.local",
      gateway: {
        addresses: ["192.0.2.7"],
        port: 4143,
        identity: "gateway.west",
        probe: { path: "/ready", port: 4191, period: "3s" },
      },
      token: first,
    });
  });

  it("is what the component makes of it, with a token that works", async () => {
    const spec = link({ remoteDiscoverySelector: {}, federatedServiceSelector: {} });
    graph = await clusters.graphOf(facts, { spec });
    const { west } = bed.clusters;
    await clusters.carryOut(west, graph);
    const { inputs } = graph.resource("pulumi-nodejs:dynamic/linkerd:TokenCheck", "east/west");
    const args = checkArgs(first, inputs.rules as TokenCheckArgs["rules"]);
    assert.deepEqual((await tokenChecks.create(args)).outs, args);
    token = await clusters.issuedToken(west, first);
    assert.equal((await linkTargets.check({}, clusters.question(bed))).inputs.facts?.token, first);
  });

  it("is services and endpoints for a link that is gateway only, and nothing else", async () => {
    assert.deepEqual(await listable(clusters.question(bed).access, token), [
      "endpoints",
      "services",
    ]);
    assert.deepEqual(await denied(checkArgs(first), readable(["get", "list", "watch"])), []);
    const changes = ["create", "update", "patch", "delete"];
    assert.equal((await denied(checkArgs(first), readable(changes))).length, 2 * changes.length);
    const config = `${clusters.inNamespace(linkerd, "configmaps")}/linkerd-config`;
    assert.equal(await clusters.answerTo(bed.clusters.west, token, config), 200);
    const secret = `${clusters.secretsOf}/${first}`;
    assert.equal(await clusters.answerTo(bed.clusters.west, token, secret), 403);
  });

  it("is exactly that, whatever verb on whatever resource of the API server is tried", async () => {
    const { west } = bed.clusters;
    assert.deepEqual(await allowedIn(west, token), [...gatewayRights].sort());
  });

  it("is what the destination controller needs, once the target has something to discover", async () => {
    const { west } = bed.clusters;
    const selectors = { discoverySelectors: discoverySelectors(link()) };
    const discovers = async () =>
      (await linkTargets.check({}, clusters.question(bed, selectors))).inputs.facts?.discovers;
    assert.equal(await discovers(), false);
    await addService(west, "default", "found", {
      labels: { "mirror.linkerd.io/exported": "remote-discovery" },
    });
    assert.equal(await discovers(), true);
    const flat = await clusters.graphOf({ ...facts, discovers: true });
    const { rules } = flat.resource(roleType, "east/west").inputs;
    const path = `/apis/rbac.authorization.k8s.io/v1/clusterroles/${account}`;
    assert.equal((await west.request("PATCH", path, { rules })).code, 200);
    await tokenChecks.create(checkArgs(first, rules as TokenCheckArgs["rules"]));
    assert.deepEqual(await listable(clusters.question(bed).access, token), [
      ...["endpoints", "endpointslices", "pods", "replicasets", "services"],
    ]);
    assert.deepEqual(await denied(checkArgs(first), servers), []);
    const all = [...gatewayRights, ...discoveryRights];
    assert.deepEqual(await allowedIn(west, token), all.sort());
    graph = await clusters.graphOf(facts, {}, token);
  });

  it("is refused by name where it is less than the link needs", async () => {
    const rules = [{ apiGroups: ["batch"], resources: ["jobs"], verbs: ["list"] }];
    await assert.rejects(
      tryOnce(checkArgs(first, rules)),
      /^Error: the token in Secret west\/linkerd-multicluster\/.*-token-1-1 is not allowed to list jobs\.batch: check/,
    );
  });

  it("leaves two Secrets and a Link in the source that its schema takes field by field", async () => {
    const { east } = bed.clusters;
    await clusters.carryOut(east, graph);
    const path =
      "/apis/multicluster.linkerd.io/v1alpha3/namespaces/linkerd-multicluster/links/west";
    const { spec } = await clusters.get<{ spec: { probeSpec: object } }>(east, path);
    const { probeSpec, ...rest } = spec;
    const expected = linkManifestSpec(link(), facts, namespaces, "pulumi");
    assert.deepEqual(rest, without(expected, "probeSpec"));
    const defaults = { timeout: "30s", failureThreshold: "3" };
    assert.deepEqual(probeSpec, { ...expected.probeSpec, ...defaults });
  });

  it("opens the target to who has nothing but the Secret, and says nothing of the runner", async () => {
    const { east, west } = bed.clusters;
    for (const namespace of [linkerd, multicluster]) {
      const path = `${clusters.inNamespace(namespace, "secrets")}/cluster-credentials-west`;
      const { data } = await clusters.get<{ data: { kubeconfig: string } }>(east, path);
      const text = Buffer.from(data.kubeconfig, "base64").toString();
      for (const cluster of [west, east]) assert(!text.includes(cluster.access.token));
      const kubeconfig = join(bed.folder, `from-${namespace}`);
      await writeFile(kubeconfig, text, { mode: 0o600 });
      const client = await connect({ context: "west", kubeconfig }, "west");
      const names = (await client.list(resources.services)).map(({ metadata }) => metadata.name);
      assert(names.includes("linkerd-gateway"));
      await client.close();
    }
  });

  it("rotates on demand: old and new work side by side until the old Secret goes", async () => {
    const { west } = bed.clusters;
    const rotation = { generation: 2 };
    const { inputs } = await linkTargets.check({ facts }, clusters.question(bed, { rotation }));
    assert.equal(inputs.remark, "new token: credentialsGeneration changed from 1 to 2");
    const alone = clusters.question(bed, { rotation, sourceUnreachable: true });
    assert.equal((await linkTargets.check({ facts }, alone)).inputs.facts?.token, first);
    const { outs } = await linkTargets.update("", { ...inputs, facts }, inputs);
    const second = outs.facts.token;
    assert.equal(second, `${account}-token-2-1`);
    const made = await clusters.graphOf(outs.facts, { rotation });
    const created = made.resource("kubernetes:core/v1:Secret", "east/west/token");
    await clusters.post(west, clusters.secretsOf, created.inputs);
    const rules = made.resource(roleType, "east/west").inputs.rules as TokenCheckArgs["rules"];
    const isSame = await tokenChecks.diff("", checkArgs(first, rules), checkArgs(second, rules));
    assert.deepEqual(isSame, {});
    await tokenChecks.update("", checkArgs(first, rules), checkArgs(second, rules));
    const newer = await clusters.issuedToken(west, second);
    assert.notEqual(newer, token);
    const services = "/api/v1/services";
    for (const one of [token, newer])
      assert.equal(await clusters.answerTo(west, one, services), 200);
    assert.equal((await west.request("DELETE", `${clusters.secretsOf}/${first}`)).code, 200);
    await until("the end of the old token", [], async () => {
      return (await clusters.answerTo(west, token, services)) === 401 || undefined;
    });
    assert.equal(await clusters.answerTo(west, newer, services), 200);
    const again = await linkTargets.check(inputs, clusters.question(bed, { rotation }));
    assert.deepEqual(await linkTargets.diff("", outs, again.inputs), { changes: false });
    token = newer;
  });

  it("notices a token Secret that someone deleted, and asks for another", async () => {
    const rotation = { generation: 2 };
    const args = clusters.question(bed, { rotation });
    const before = (await linkTargets.check({}, args)).inputs;
    const path = `${clusters.secretsOf}/${before.facts?.token ?? ""}`;
    assert.equal((await bed.clusters.west.request("DELETE", path)).code, 200);
    const { inputs } = await linkTargets.check(before, args);
    assert.equal(inputs.facts?.token, `${account}-token-2-2`);
    assert.match(inputs.remark ?? "", /-token-2-1 no longer exists in the target$/);
    await assert.rejects(
      tryOnce(checkArgs(`${account}-token-2-1`)),
      /has no token: check that service account/,
    );
  });

  it("keeps what it knew while the target can't be reached, and never tells a credential", async () => {
    const { west } = bed.clusters;
    const args = clusters.question(bed);
    await west.cut();
    try {
      const asked = clusters.question(bed, { rotation: { generation: 5 } });
      const { inputs, failures } = await linkTargets.check({ ...args, facts }, asked);
      assert.deepEqual([failures, inputs.facts], [[], facts]);
      assert.match(
        inputs.remark ?? "",
        /^kept from the last run, because cluster west can't be reached/,
      );
      const fresh = await linkTargets.check({}, args);
      assert.deepEqual([fresh.failures, fresh.inputs.facts], [[], undefined]);
      const error: unknown = await tokenChecks.create(checkArgs(first)).catch((e: unknown) => e);
      const shown = inspect([inputs, fresh, error, graph.resource("test:Mirrors", "after")]);
      for (const secret of [token, west.access.token]) assert(!shown.includes(secret));
    } finally {
      await west.restore();
    }
  });

  const roleType = "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole";
});

function without<T extends object>(object: T, key: keyof T): Partial<T> {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key)) as Partial<T>;
}
