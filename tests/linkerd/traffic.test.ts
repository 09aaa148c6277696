import assert from "node:assert/strict";
import { join } from "node:path";
import { execa } from "execa";

import { until } from "../bed/bed.ts";
import { environment } from "../bed/pulumi.ts";
import { type Config, repository } from "../bed/stack.ts";
import type { Answer } from "../../cli/answers.ts";
import { inNamespace, post } from "../e2e/access-clusters.ts";
import { onWire } from "./traffic/capture.ts";
import { config, type Mesh, type Name, names, rolloutKinds, startMesh } from "./traffic/mesh.ts";
import { samplesOf } from "./traffic/metrics.ts";
import { admit, admitThroughGateway, leadAside } from "./traffic/policies.ts";
import { lackingForMesh, skipNoteOf } from "./real-nodes.ts";
import { assertNoneFailed, podsOf, type Stream, summaryOf, tallyOf } from "./traffic/stream.ts";
import {
  addAccount,
  addDeployment,
  addService,
  addStatefulSet,
  identityOf,
  namespace,
  streamsFolder,
} from "./traffic/workloads.ts";

const exported = { "mirror.linkerd.io/exported": "true" };
const discovered = { "mirror.linkerd.io/exported": "remote-discovery" };
/** Milliseconds until restarts make proxies use a new issuer, which takes up to five minutes. */
const settling = 305_000;
const gatewayIdentity = identityOf("linkerd-gateway", "linkerd-multicluster");
const member = { "mirror.linkerd.io/federated": "member" };

const lacking = await lackingForMesh();
const skipNote = skipNoteOf(lacking);

describe(`requests that cross clusters, through Linkerd's own proxies${skipNote}`, function () {
  this.timeout("60m");

  let mesh: Mesh | undefined;

  before(async function () {
    if (lacking.length > 0) return this.skip();
    mesh = await startMesh();
    const { west, east, north } = mesh.bed.clusters;
    await addDeployment(west, { name: "web", program: "server" });
    await addService(west, "web", "web", exported);
    await addService(west, "nginx-svc", "nginx-set", exported, { clusterIP: "None" });
    await addStatefulSet(west, { name: "nginx-set", program: "server", replicas: 2 }, "nginx-svc");
    for (const cluster of [west, east, north]) {
      await addDeployment(cluster, { name: "api", program: "server" });
      await addService(cluster, "api", "api", member);
    }
    await addDeployment(north, { name: "vault", program: "server" });
    await addService(north, "vault", "vault", discovered);
    await addAccount(east, "client");
    await addDeployment(east, { name: "client", program: "client", account: "client" });
    await addAccount(east, "visitor");
    await addDeployment(east, { name: "visitor", program: "visitor", account: "visitor" });
    for (const name of names) await mesh.rolledOut(name);
    await mesh.up();
  });
  afterEach(async () => {
    if (mesh !== undefined) await allWell(mesh);
  });
  after(async () => {
    for (const line of summaryOf((await mesh?.stream.since(0)) ?? new Map()))
      console.log(`    ${line}`);
    await mesh?.bed.stop();
  });

  it("reach a Service behind another cluster's gateway", async () => {
    await ask("web-west");
    const tallies = await theMesh().stream.during(() => theMesh().stream.asked(10));
    const [pod = ""] = podsOf(tallies, "web-west");
    assert.match(pod, /^west\/web-/);
    assertNoneFailed(tallies);
  });

  it("reach each pod of a StatefulSet by its name", async () => {
    for (const pod of ["nginx-set-0", "nginx-set-1"]) {
      await askPod(pod);
      const tallies = await theMesh().stream.during(() => theMesh().stream.asked(10));
      assert.deepEqual(podsOf(tallies, `${pod}-west`), [`west/${pod}`]);
      assertNoneFailed(tallies);
    }
  });

  it("reach a federated Service in every cluster, each pod at its own address", async () => {
    await ask("api-federated");
    assertNoneFailed(await theMesh().stream.during(answeredByAll));
  });

  it("reach a gateway mirror where nothing else of its target can be reached", async () => {
    const { bed, kubectl, stream } = theMesh();
    const { run, balancer, podNetwork } = bed.node("west");
    const pod = await kubectl("west", "get", "pods", "-n=shop", "-l=app=web", podAddress);
    const direct = ["curl", "-sS", "--max-time", "2", `http://${pod}`];
    const words = ["exec", "-n=shop", "deploy/client", "-c=linkerd-proxy", "--", ...direct];
    // A mesh of proxies lets a request without an identity pass, and the network does as well.
    assert.match(await kubectl("east", ...words), /"pod":"west/);
    const from = `ip saddr ${bed.node("east").address}`;
    await run(
      ["nft", "-f", "-"],
      `table inet only_gateway {
      chain first {
        type filter hook prerouting priority mangle;
        ${from} ip daddr ${balancer} tcp dport 4143 accept
        ${from} drop
      }
    }`,
    );
    try {
      await assert.rejects(kubectl("east", ...words), /timed out/);
      const since = Date.now();
      await stream.asked(10);
      const tallies = await stream.since(since);
      for (const target of ["web-west", "nginx-set-0-west", "nginx-set-1-west"])
        assert.deepEqual(tallyOf(tallies, target).failed, []);
      assert.notEqual(podNetwork, balancer);
    } finally {
      await run(["nft", "delete", "table", "inet", "only_gateway"]);
      await stream.settled("api-federated");
    }
  });

  it("are encrypted on the wire", async () => {
    const { bed, stream } = theMesh();
    const path = "/canary-of-these-tests";
    const target = { authority: authorityOf("web-west"), path };
    await stream.add({ name: "web-west/canary", ...target });
    const seen = await onWire(bed.node("west"), streamsFolder(bed.clusters.west), () =>
      stream.asked(10),
    );
    await stream.remove("web-west/canary");
    assert.ok(seen.records > 10);
    for (const word of [path, authorityOf("web"), "HTTP/1.1"])
      assert.ok(!seen.bytes.includes(word), word);
  });

  it("are refused by a gateway if they have no identity", async () => {
    const { bed, strangers } = theMesh();
    await addDeployment(bed.clusters.east, { name: "stranger", program: "stranger" });
    const authority = "web.shop.svc.cluster.local";
    await strangers.add({
      name: "gateway",
      host: bed.node("west").balancer,
      port: 4143,
      authority,
    });
    await strangers.asked(10);
    const tally = (await strangers.since(0)).get("gateway");
    assert.deepEqual(tally?.pods, new Set());
    // What is said in the clear can be seen on the wire.
    const seen = await onWire(bed.node("west"), streamsFolder(bed.clusters.west), () =>
      strangers.asked(10),
    );
    assert.ok(seen.bytes.includes(authority));
  });

  it("arrive with the client's identity on a flat network", async () => {
    await ask("vault-north");
    const tallies = await theMesh().stream.during(() => theMesh().stream.asked(10));
    for (const target of ["vault-north", "api-federated"]) {
      const { identities, origins } = tallyOf(tallies, target);
      assert.deepEqual(identities, new Set([identityOf("client")]));
      assert.deepEqual(origins, new Set());
    }
    assertNoneFailed(tallies);
    await theMesh().stream.remove("vault-north");
  });

  it("arrive with the gateway's identity through a gateway, which names the client", async () => {
    const tallies = await theMesh().stream.during(() => theMesh().stream.asked(10));
    for (const target of ["web-west", "nginx-set-0-west"]) {
      const { identities, origins } = tallyOf(tallies, target);
      assert.deepEqual(identities, new Set([gatewayIdentity]));
      assert.deepEqual(origins, new Set([identityOf("client")]));
    }
  });

  it("are sent by verify through each link, to a pod and to a federated Service", async () => {
    const answers = await verify(theMesh());
    assert.deepEqual(
      answers.map(({ service, status, connected }) => [service, status, connected?.identity]),
      [
        ["shop/web-west", 200, gatewayIdentity],
        ["shop/nginx-set-0-west", 200, gatewayIdentity],
        ["shop/vault-north", 200, identityOf("default")],
        ["shop/api-federated", 200, identityOf("default")],
      ],
    );
    assert.equal(answers[0]?.connected?.cluster, "west");
  });

  it("are counted by the gateway per client", async () => {
    const { kubectl, stream, visitors } = theMesh();
    await visit("web-west");
    const metrics = ["curl", "-sS", "http://127.0.0.1:4191/metrics"];
    const gateway = ["-n=linkerd-multicluster", "deploy/linkerd-gateway", "-c=linkerd-proxy"];
    const counted = async (account: string) =>
      samplesOf(
        await kubectl("west", "exec", ...gateway, "--", ...metrics),
        "inbound_http_authz_allow_total",
      )
        .filter(({ labels }) => labels["client_id"] === identityOf(account))
        .reduce((sum, { value }) => sum + value, 0);
    for (const [account, each] of Object.entries({ client: stream, visitor: visitors })) {
      const before = await counted(account);
      const since = Date.now();
      await each.asked(10);
      assert.ok((await counted(account)) >= before + 10, account);
      assert.equal(tallyOf(await each.since(since), "web-west").failed.length, 0);
    }
  });

  it("are refused by a pod on a flat network that admits only another client", async () => {
    const { bed, stream } = theMesh();
    await ask("vault-north");
    await visit("vault-north");
    await admit(bed.clusters.north, "vault", [identityOf("client")]);
    await assertRefused("vault-north");
    const answers = await verify(theMesh(), "--service", "shop/vault");
    assert.deepEqual(
      answers.map(({ status, hop }) => [status, hop]),
      [[403, "policies"]],
    );
    await stream.remove("vault-north");
  });

  it("are refused by a gateway that admits only another client to a Service", async () => {
    const { bed, visitors } = theMesh();
    await visit("nginx-set-0-west", podAuthority("nginx-set-0"));
    await admitThroughGateway(bed.clusters.west, "web", [identityOf("client")]);
    await assertRefused("web-west");
    const others = await visitors.during(() => visitors.asked(10));
    assert.deepEqual(tallyOf(others, "nginx-set-0-west").failed, []);
  });

  it("follow a route on a mirror to another cluster's mirror", async () => {
    const { bed, stream } = theMesh();
    const target = { name: "web-west/vault", authority: authorityOf("web-west"), path: "/vault" };
    await stream.add(target);
    await stream.answered("web-west/vault");
    const lead = async () => {
      await leadAside(bed.clusters.east, "web-west", "/vault", "vault-north");
      await until("answers of the other cluster", [], async () => {
        const since = Date.now();
        const [pod = ""] = podsOf(await stream.since(since), "web-west/vault");
        return pod.startsWith("north/vault-") || undefined;
      });
    };
    assertNoneFailed(await stream.during(lead));
    const tallies = await stream.during(() => stream.asked(10));
    assert.match(podsOf(tallies, "web-west/vault").join(), /^north\/vault-[^,]+$/);
    assert.match(podsOf(tallies, "web-west").join(), /^west\/web-[^,]+$/);
    assertNoneFailed(tallies);
    await stream.remove("web-west/vault");
  });

  it("fail over to the next cluster that has pods, and return, without a failure", async () => {
    const { bed, kubectl, rolledOut, stream, up } = theMesh();
    const { west, east, north } = bed.clusters;
    const has = async (cluster: Name, replicas: number) => {
      await kubectl(cluster, "scale", "deployment/cart", "-n=shop", `--replicas=${replicas}`);
      await rolledOut(cluster);
    };
    const answeredBy = (name: Name) =>
      until(`answers of ${name}`, [], async () => {
        const since = Date.now();
        await stream.answered("cart");
        const pods = podsOf(await stream.since(since), "cart");
        return pods.every((pod) => pod.startsWith(`${name}/`)) || undefined;
      });
    for (const cluster of [west, east, north])
      await addDeployment(cluster, { name: "cart", program: "server" });
    await addService(east, "cart", "cart", {});
    await addService(west, "cart", "cart", exported);
    await addService(north, "cart", "cart", discovered);
    await Promise.all(names.map((name) => rolledOut(name)));
    await up();
    await ask("cart");
    await answeredBy("east");
    const leave = async () => {
      await has("east", 0);
      await answeredBy("west");
    };
    const comeBack = async () => {
      await has("east", 1);
      await answeredBy("east");
      await stream.asked(20);
    };
    for (const step of [leave, comeBack]) assertNoneFailed(await stream.during(step));
    // A gateway answers for a Service without pods with 503, until failure accrual gives it up.
    const annotations = { "balancer.linkerd.io/failure-accrual": "consecutive" };
    await east.request("PATCH", inNamespace(namespace, "services/cart"), {
      metadata: { annotations },
    });
    await has("west", 0);
    await has("east", 0);
    await answeredBy("north");
    await stream.asked(20);
    await has("west", 1);
    assertNoneFailed(await stream.during(comeBack));
    await stream.remove("cart");
  });

  it("are retried as the exported Service's annotations, which its mirror has, demand", async () => {
    const { bed, stream, up } = theMesh();
    const target = { name: "web-west/flaky", authority: authorityOf("web-west"), path: "/flaky" };
    await stream.add(target);
    await stream.failed("web-west/flaky");
    const annotations = { "retry.linkerd.io/http": "5xx", "retry.linkerd.io/limit": "3" };
    const path = inNamespace(namespace, "services/web");
    await bed.clusters.west.request("PATCH", path, { metadata: { annotations } });
    await up();
    await stream.settled("web-west/flaky");
    assertNoneFailed(await stream.during(() => stream.asked(20)));
    await stream.remove("web-west/flaky");
  });

  it("continue while a run adds exports", async () => {
    const { bed, stream, up } = theMesh();
    await addService(bed.clusters.west, "docs", "web", exported);
    assertNoneFailed(await stream.during(up));
    await ask("docs-west");
  });

  it("continue while a run repairs mirrors, except to a mirror without Endpoints", async () => {
    const { bed, stream, up } = theMesh();
    const { east } = bed.clusters;
    const labels = { "mirror.linkerd.io/remote-svc-fq-name": null, team: "shop" };
    await east.request("PATCH", inNamespace("shop", "services/web-west"), { metadata: { labels } });
    await east.request("DELETE", inNamespace("shop", "endpoints/docs-west"));
    assertNoneFailed(await stream.during(up), "docs-west");
    await stream.answered("docs-west");
  });

  it("continue while a run rotates a link's credentials", async () => {
    const { stream } = theMesh();
    assertNoneFailed(await stream.during(() => runWith({ credentialsGeneration: 2 })));
  });

  it("continue while runs rename mirrors, and reach one in another namespace", async () => {
    const { bed, stack, stream, up } = theMesh();
    await post(bed.clusters.east, "/api/v1/namespaces", { metadata: { name: "far" } });
    const run = (link: Config) => runWith({ credentialsGeneration: 2, ...link });
    assertNoneFailed(await stream.during(() => run({ names: "{target}-{service}" })));
    await ask("west-web");
    await ask("north-vault");
    const former = ["web-west", "docs-west", "nginx-set-0-west", "nginx-set-1-west"];
    for (const name of former) await stream.remove(name);
    assertNoneFailed(await stream.during(up));
    // Only the link through the gateway takes it.
    const { links, ...rest } = config({ credentialsGeneration: 2 });
    const [gatewayLink, ...others] = links as readonly Config[];
    const far = { ...gatewayLink, mirrorNamespaces: { shop: "far" } };
    await stack.configure({ ...rest, links: [far, ...others] });
    await up();
    const farAway = "web-west.far.svc.cluster.local";
    await stream.add({ name: "far", authority: farAway });
    assertNoneFailed(await stream.during(() => stream.answered("far")));
    await run({});
    for (const name of ["west-web", "north-vault", "far"]) await stream.remove(name);
    for (const service of ["web-west", "docs-west"]) await ask(service);
    for (const pod of ["nginx-set-0", "nginx-set-1"]) await askPod(pod);
    assertNoneFailed(await stream.during(up));
  });

  it("continue while a StatefulSet is scaled up and down", async () => {
    const { kubectl, rolledOut, stream, up } = theMesh();
    const scale = async (replicas: number) => {
      const words = ["scale", "statefulset/nginx-set", "--namespace=shop"];
      await kubectl("west", ...words, `--replicas=${replicas}`);
      await rolledOut("west");
    };
    const more = async () => {
      await scale(3);
      await up();
      await askPod("nginx-set-2");
    };
    assertNoneFailed(await stream.during(more));
    await stream.remove("nginx-set-2-west");
    const fewer = async () => {
      await scale(2);
      await up();
    };
    assertNoneFailed(await stream.during(fewer));
  });

  it("continue while the gateway moves, if its old address works until the run is done", async () => {
    const { bed, stream, up } = theMesh();
    const { balancer, run } = bed.node("west");
    const address = `${balancer}0`.replace("1010", "201");
    const path = inNamespace("linkerd-multicluster", "services/linkerd-gateway");
    const patch = async (part: string, body: object) => {
      assert.equal((await bed.clusters.west.request("PATCH", `${path}${part}`, body)).code, 200);
    };
    const move = async () => {
      await run(["ip", "addr", "add", `${address}/32`, "dev", "eth0"]);
      // The old address leads on to the gateway, although the load balancer has another.
      await patch("", { spec: { externalIPs: [balancer] } });
      await patch("/status", { status: { loadBalancer: { ingress: [{ ip: address }] } } });
      await up();
      await patch("", { spec: { externalIPs: null } });
      await run(["ip", "addr", "del", `${balancer}/32`, "dev", "eth0"]);
      await stream.asked(20);
    };
    assertNoneFailed(await stream.during(move));
  });

  it("continue while a cluster is lost, except those under way to it", async () => {
    const { bed, stream, up } = theMesh();
    const { north } = bed.clusters;
    const regain = async () => {
      await bed.node("north").connect(true);
      await north.restore();
    };
    try {
      const lose = async () => {
        await bed.node("north").connect(false);
        await north.cut();
        await up();
      };
      assertNoneFailed(await stream.during(lose), "api-federated");
      // Requests that are under way end after ten seconds at the latest.
      await stream.settled("api-federated");
      assertNoneFailed(await stream.during(() => stream.asked(20)));
      const again = async () => {
        await regain();
        await up();
        await answeredByAll();
      };
      assertNoneFailed(await stream.during(again));
    } finally {
      // The tests that follow need all clusters, whatever has become of this one.
      await regain();
    }
  });

  it("continue through each step of a rotation of the trust anchor", async () => {
    const { stream } = theMesh();
    const step = async (says: RegExp) => {
      assert.match(await runWith({ credentialsGeneration: 2 }, { generation: 2 }), says);
    };
    // A name of one pod leads nowhere while the pod is away, and as long as the gateway holds on to
    // the address that it had: so the gateway restarts last.
    const restart = async () => {
      const pods = ["nginx-set-0-west", "nginx-set-1-west"];
      assertNoneFailed(await stream.during(restartEverything), ...pods);
      for (const pod of pods) await stream.settled(pod);
    };
    assertNoneFailed(await stream.during(() => step(/Rotation, step 1 of 3/)));
    await restart();
    assertNoneFailed(await stream.during(() => step(/Rotation, step 2 of 3/)));
    const issued = Date.now();
    const isOver = () => Promise.resolve(Date.now() > issued + settling || undefined);
    const waited = () => until("the old issuers to be out of use", [], isOver, 400);
    assertNoneFailed(await stream.during(waited));
    await restart();
    assertNoneFailed(await stream.during(() => step(/Rotation, step 3 of 3/)));
    await restart();
  });

  function theMesh(): Mesh {
    if (mesh === undefined) throw new Error("there is no mesh");
    return mesh;
  }

  /** Sends requests from a pod of each cluster. */
  async function answeredByAll(): Promise<void> {
    const { stream } = theMesh();
    const since = Date.now();
    await until("answers from all clusters", [], async () => {
      const pods = podsOf(await stream.since(since), "api-federated");
      return new Set(pods.map((pod) => pod.replace(/\/.*/, ""))).size === 3 || undefined;
    });
  }

  async function restartEverything(): Promise<void> {
    const { kubectl, rolledOut } = theMesh();
    for (const namespace of ["linkerd", "shop", "linkerd-multicluster"])
      await Promise.all(
        names.map(async (name) => {
          await kubectl(name, "rollout", "restart", rolloutKinds, `--namespace=${namespace}`);
          await rolledOut(name, namespace);
        }),
      );
  }

  async function runWith(link: Config, trust: Config = {}): Promise<string> {
    const { stack, up } = theMesh();
    await stack.configure(config(link, trust));
    return up();
  }

  function askPod(pod: string): Promise<void> {
    return ask(`${pod}-west`, podAuthority(pod));
  }

  function ask(service: string, authority?: string): Promise<void> {
    return add(theMesh().stream, service, authority);
  }

  function visit(service: string, authority?: string): Promise<void> {
    return add(theMesh().visitors, service, authority);
  }

  async function add(
    stream: Stream,
    service: string,
    authority = authorityOf(service),
  ): Promise<void> {
    await stream.add({ name: service, authority });
    await stream.answered(service);
  }

  /** Asserts that the visitor's requests are refused while the client's are answered. */
  async function assertRefused(target: string): Promise<void> {
    const { stream, visitors } = theMesh();
    const since = Date.now();
    await visitors.failed(target);
    const refused = tallyOf(await visitors.during(() => visitors.asked(10)), target);
    assert.deepEqual(refused.pods, new Set());
    for (const { problem = "" } of refused.failed) assert.match(problem, /^403 /);
    assertNoneFailed(await stream.since(since));
    await visitors.remove(target);
  }
});

const authorityOf = (service: string): string => `${service}.${namespace}.svc.cluster.local`;

const podAddress = "-o=jsonpath={.items[0].status.podIP}";

const podAuthority = (pod: string): string => `${pod}.nginx-svc-west.shop.svc.cluster.local`;

/** Asks by each link of east. */
async function verify({ bed }: Mesh, ...words: readonly string[]): Promise<readonly Answer[]> {
  const program = join(repository, "cli/linkerd-clusters.mjs");
  const asked = ["verify", "--image", "bed.local/curl:1", "--output", "json", ...words];
  const { stdout, stderr } = await execa(process.execPath, [program, ...asked], {
    cwd: join(bed.folder, "stacks", "traffic"),
    env: environment(bed),
    reject: false,
  });
  assert.match(stdout, /^\{/, stderr);
  return (JSON.parse(stdout) as { readonly answers: readonly Answer[] }).answers;
}

async function allWell({ bed }: Mesh): Promise<void> {
  await until("everything to run", [], () => {
    const problems = names.flatMap((name) => bed.node(name).problem() ?? []);
    if (problems.length > 0) throw new Error(problems.join("; "));
    return Promise.resolve(true);
  });
}
