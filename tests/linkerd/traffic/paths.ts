import assert from "node:assert/strict";

import { until } from "../../bed/bed.ts";
import { inNamespace } from "../../e2e/access-clusters.ts";
import {
  answeredByAll,
  ask,
  askPod,
  assertRefused,
  authorityOf,
  podAuthority,
  verify,
} from "./asking.ts";
import { onWire } from "./capture.ts";
import { type Mesh, type Name, names } from "./mesh.ts";
import { samplesOf } from "./metrics.ts";
import { admit, admitThroughGateway, leadAside } from "./policies.ts";
import { assertNoneFailed, podsOf, tallyOf } from "./stream.ts";
import {
  addDeployment,
  addService,
  discovered,
  exported,
  identityOf,
  namespace,
  streamsFolder,
} from "./workloads.ts";

const gatewayIdentity = identityOf("linkerd-gateway", "linkerd-multicluster");

/** Tests where requests arrive, and with which identity. */
export function testPaths(theMesh: () => Mesh): void {
  it("reach a Service behind another cluster's gateway", async () => {
    await ask(theMesh().stream, "web-west");
    const tallies = await theMesh().stream.next(10);
    const [pod = ""] = podsOf(tallies, "web-west");
    assert.match(pod, /^west\/web-/);
    assertNoneFailed(tallies);
  });

  it("reach each pod of a StatefulSet by its name", async () => {
    for (const pod of ["nginx-set-0", "nginx-set-1"]) {
      await askPod(theMesh().stream, pod);
      const tallies = await theMesh().stream.next(10);
      assert.deepEqual(podsOf(tallies, `${pod}-west`), [`west/${pod}`]);
      assertNoneFailed(tallies);
    }
  });

  it("reach a federated Service in every cluster, each pod at its own address", async () => {
    await ask(theMesh().stream, "api-federated");
    assertNoneFailed(await theMesh().stream.during(() => answeredByAll(theMesh().stream)));
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
    // The same capture shows requests that are not encrypted.
    const seen = await onWire(bed.node("west"), streamsFolder(bed.clusters.west), () =>
      strangers.asked(10),
    );
    assert.ok(seen.bytes.includes(authority));
  });

  it("arrive with the client's identity on a flat network", async () => {
    await ask(theMesh().stream, "vault-north");
    const tallies = await theMesh().stream.next(10);
    for (const target of ["vault-north", "api-federated"]) {
      const { identities, origins } = tallyOf(tallies, target);
      assert.deepEqual(identities, new Set([identityOf("client")]));
      assert.deepEqual(origins, new Set());
    }
    assertNoneFailed(tallies);
    await theMesh().stream.remove("vault-north");
  });

  it("arrive with the gateway's identity through a gateway, which names the client", async () => {
    const tallies = await theMesh().stream.next(10);
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
    await ask(theMesh().visitors, "web-west");
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
    await ask(theMesh().stream, "vault-north");
    await ask(theMesh().visitors, "vault-north");
    await admit(bed.clusters.north, "vault", [identityOf("client")]);
    await assertRefused(theMesh(), "vault-north");
    const answers = await verify(theMesh(), "--service", "shop/vault");
    assert.deepEqual(
      answers.map(({ status, hop }) => [status, hop]),
      [[403, "policies"]],
    );
    await stream.remove("vault-north");
  });

  it("are refused by a gateway that admits only another client to a Service", async () => {
    const { bed, visitors } = theMesh();
    await ask(theMesh().visitors, "nginx-set-0-west", podAuthority("nginx-set-0"));
    await admitThroughGateway(bed.clusters.west, "web", [identityOf("client")]);
    await assertRefused(theMesh(), "web-west");
    const others = await visitors.next(10);
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
    const tallies = await stream.next(10);
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
    await ask(theMesh().stream, "cart");
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
    assertNoneFailed(await stream.next(20));
    await stream.remove("web-west/flaky");
  });
}
