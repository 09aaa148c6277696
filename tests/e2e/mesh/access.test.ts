import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { checkRevocation, type ClientOf, revoke } from "../../../engine/credentials/revocation.ts";
import { discoverySelectors } from "../../../engine/credentials/rules.ts";
import { linkManifestSpec } from "../../../engine/credentials/objects.ts";
import { linkTargets, tokenChecks } from "../../../engine/providers/stateless.ts";
import type {
  RevocationArgs,
  TargetArgs,
  TargetFacts,
  TokenCheckArgs,
} from "../../../engine/credentials/state.ts";
import { connect } from "../../../engine/kubernetes/client/connect.ts";
import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import { Clusters } from "../../../engine/reading/clusters.ts";
import { type Bed, until } from "../../bed/bed.ts";
import { addLinkCrd, linksPath } from "../../bed/links.ts";
import { account, type Graph, namespaces } from "../../components/access-graph.ts";
import { link } from "../../unit/fixtures/link.ts";
import * as clusters from "../access-clusters.ts";
import { allowedIn } from "../access-token.ts";
import { type ClusterName, emptyBed, type SharedBed } from "../mirroring/shared-bed.ts";

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
const roleType = "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole";
const first = `${account}-token-1-1`;
const second = `${account}-token-2-1`;

describe("access to a real target", function () {
  this.timeout("20m");

  let bed: Bed<ClusterName>;
  let kube: SharedBed["kube"];
  let facts: TargetFacts;
  let token: string;

  before(async () => {
    ({ bed, kube } = await emptyBed());
    const { west, east } = bed.clusters;
    await clusters.addNamespaces(west);
    await clusters.addNamespaces(east);
    await addLinkCrd(east);
    await clusters.addLinkerd(west);
    await clusters.addBalancerAddress(west, "192.0.2.7");
  });

  const question = (more: Partial<TargetArgs> = {}) => clusters.question(bed, more);

  function checkArgs(secret: string, { resource }: Graph): TokenCheckArgs {
    const rules = resource(roleType, "east/west").inputs.rules as TokenCheckArgs["rules"];
    const { access } = question();
    return { target: "west", access, namespace: namespaces.multicluster, account, secret, rules };
  }

  it("is known from what Linkerd's charts leave in it", async () => {
    const { west } = bed.clusters;
    const { outs } = await linkTargets.create(
      (await clusters.checkInNewRun({}, question())).inputs,
    );
    assert.ok(outs.facts);
    ({ facts } = outs);
    assert.deepEqual(facts, {
      server: west.server,
      certificateAuthority: btoa(`${west.access.authority.trim()}\n`),
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

  it("covers only Services and Endpoints for a gateway link, as the API server confirms", async () => {
    const { west } = bed.clusters;
    const none = { remoteDiscoverySelector: {}, federatedServiceSelector: {} };
    const graph = await clusters.graphOf(facts, none);
    await clusters.carryOut(west, graph);
    const args = checkArgs(first, graph);
    assert.deepEqual((await tokenChecks.create(args)).outs, args);
    token = await clusters.issuedToken(west, first);
    assert.equal((await clusters.checkInNewRun({}, question())).inputs.facts?.token, first);
    assert.deepEqual(await allowedIn(west, token), [...gatewayRights].sort());
  });

  it("covers what the destination controller needs once the target has Services to discover", async () => {
    const { west } = bed.clusters;
    const selectors = { discoverySelectors: discoverySelectors(link()) };
    const discovers = async () =>
      (await clusters.checkInNewRun({}, question(selectors))).inputs.facts?.discovers;
    assert.equal(await discovers(), false);
    await clusters.addService(west, "default", "found", {
      labels: { "mirror.linkerd.io/exported": "remote-discovery" },
    });
    assert.equal(await discovers(), true);
    const args = checkArgs(first, await clusters.graphOf({ ...facts, discovers: true }));
    const path = `/apis/rbac.authorization.k8s.io/v1/clusterroles/${account}`;
    assert.equal((await west.request("PATCH", path, { rules: args.rules })).code, 200);
    await tokenChecks.create(args);
    const all = [...gatewayRights, ...discoveryRights];
    assert.deepEqual(await allowedIn(west, token), all.sort());
  });

  it("creates two Secrets and a Link in the source that match the CRD's schema field by field", async () => {
    const { east } = bed.clusters;
    // The Link has a probe where Linkerd's controller sends it.
    const keys = { mirroring: "controller" };
    await clusters.carryOut(east, await clusters.graphOf(facts, keys, token));
    interface Spec extends Record<string, unknown> {
      readonly probeSpec: object;
    }
    const { spec } = await clusters.get<{ spec: Spec }>(east, `${linksPath}/west`);
    const expected = linkManifestSpec(link(), facts, namespaces, "controller");
    const defaults = { timeout: "30s", failureThreshold: "3" };
    assert.deepEqual(spec, { ...expected, probeSpec: { ...expected.probeSpec, ...defaults } });
  });

  it("lets a client with only the Secret into the target, and reveals nothing about the runner", async () => {
    const { east, west } = bed.clusters;
    for (const namespace of Object.values(namespaces)) {
      const path = `${clusters.inNamespace(namespace, "secrets")}/cluster-credentials-west`;
      const { data } = await clusters.get<{ data: { kubeconfig: string } }>(east, path);
      const text = atob(data.kubeconfig);
      for (const cluster of [west, east]) assert(!text.includes(cluster.access.token));
      const kubeconfig = join(bed.folder, `from-${namespace}`);
      await writeFile(kubeconfig, text, { mode: 0o600 });
      const client = await connect({ context: "west", kubeconfig }, "west");
      const names = (await client.list(resources.services)).map(({ metadata }) => metadata.name);
      assert(names.includes("linkerd-gateway"));
      await client.close();
    }
  });

  it("rotates on demand, and the old token works until its Secret is deleted", async () => {
    const { west } = bed.clusters;
    const rotation = { generation: 2 };
    const { inputs } = await clusters.checkInNewRun({ facts }, question({ rotation }));
    assert.equal(inputs.remark, "new token: credentialsGeneration changed from 1 to 2");
    const alone = question({ rotation, sourceUnreachable: true });
    assert.equal((await clusters.checkInNewRun({ facts }, alone)).inputs.facts?.token, first);
    const { outs } = await linkTargets.update("", { ...inputs, facts }, inputs);
    assert.ok(outs.facts);
    assert.equal(outs.facts.token, second);
    const made = await clusters.graphOf(outs.facts, { credentialsGeneration: 2 });
    const created = made.resource("kubernetes:core/v1:Secret", "east/west/token");
    await clusters.post(west, clusters.secretsOf, created.inputs);
    const checks = [checkArgs(first, made), checkArgs(second, made)] as const;
    assert.deepEqual(await tokenChecks.diff("", ...checks), {});
    await tokenChecks.update("", ...checks);
    const newer = await clusters.issuedToken(west, second);
    assert.notEqual(newer, token);
    const answer = (one: string) => clusters.answerTo(west, one, "/api/v1/services");
    for (const one of [token, newer]) assert.equal(await answer(one), 200);
    assert.equal((await west.request("DELETE", `${clusters.secretsOf}/${first}`)).code, 200);
    await until("the end of the old token", [], async () => {
      return (await answer(token)) === 401 || undefined;
    });
    assert.equal(await answer(newer), 200);
    const again = await clusters.checkInNewRun(inputs, question({ rotation }));
    assert.deepEqual(await linkTargets.diff("", outs, again.inputs), { changes: false });
  });

  it("ends with the revocation of its account, rights and tokens", async () => {
    const { west } = kube;
    const { metadata } = await west.get(resources.namespaces, { name: "kube-system" });
    const target = { context: "west", kubeconfig: bed.kubeconfig, uid: metadata.uid ?? "" };
    const args: RevocationArgs = {
      source: "east",
      isolated: true,
      namespace: namespaces.multicluster,
      targets: { west: target },
    };
    const inputs = await checkRevocation({}, args, client);
    const everything = [
      `ClusterRoleBinding ${account}`,
      `ServiceAccount linkerd-multicluster/${account}`,
      `Secret linkerd-multicluster/${second}`,
      `ClusterRole ${account}`,
    ];
    assert.deepEqual(inputs.deletes, { west: everything.join(", ") });
    assert.deepEqual(await revoke(inputs, client), []);
    assert.equal((await checkRevocation(inputs, args, client)).deletes, undefined);
  });

  const client: ClientOf = (name, access) => new Clusters().client(name, access);
});
