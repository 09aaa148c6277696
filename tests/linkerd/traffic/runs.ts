import assert from "node:assert/strict";

import { until } from "../../bed/bed.ts";
import type { Config } from "../../bed/stack.ts";
import { inNamespace, post } from "../../e2e/access-clusters.ts";
import { answeredByAll, ask, askPod } from "./asking.ts";
import { rolloutKinds } from "./kubectl.ts";
import { config, type Mesh, names } from "./mesh.ts";
import { assertNoneFailed } from "./stream.ts";
import { addService, exported } from "./workloads.ts";

/** Proxies use a new issuer after up to five minutes, in milliseconds. */
const settling = 305_000;

/** Tests that requests continue while runs change the mesh. */
export function testRuns(theMesh: () => Mesh): void {
  it("continue while a run adds exports", async () => {
    const { bed, stream, up } = theMesh();
    await addService(bed.clusters.west, "docs", "web", exported);
    assertNoneFailed(await stream.during(up));
    await ask(theMesh().stream, "docs-west");
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
    assertNoneFailed(await stream.during(() => runWith(theMesh(), { credentialsGeneration: 2 })));
  });

  it("continue while runs rename mirrors, and reach one in another namespace", async () => {
    const { bed, stack, stream, up } = theMesh();
    await post(bed.clusters.east, "/api/v1/namespaces", { metadata: { name: "far" } });
    const run = (link: Config) => runWith(theMesh(), { credentialsGeneration: 2, ...link });
    assertNoneFailed(await stream.during(() => run({ names: "{target}-{service}" })));
    await ask(theMesh().stream, "west-web");
    await ask(theMesh().stream, "north-vault");
    const former = ["web-west", "docs-west", "nginx-set-0-west", "nginx-set-1-west"];
    for (const name of former) await stream.remove(name);
    assertNoneFailed(await stream.during(up));
    // Only the link through the gateway has the key.
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
    for (const service of ["web-west", "docs-west"]) await ask(theMesh().stream, service);
    for (const pod of ["nginx-set-0", "nginx-set-1"]) await askPod(theMesh().stream, pod);
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
      await askPod(theMesh().stream, "nginx-set-2");
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
      // Requests to the old address still reach the gateway, although the load balancer has another.
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
      assertNoneFailed(await stream.next(20));
      const again = async () => {
        await regain();
        await up();
        await answeredByAll(theMesh().stream);
      };
      assertNoneFailed(await stream.during(again));
    } finally {
      // The tests that follow need all clusters, even if this one fails.
      await regain();
    }
  });

  it("continue through each step of a rotation of the trust anchor", async () => {
    const { stream } = theMesh();
    const step = async (says: RegExp) => {
      assert.match(await runWith(theMesh(), { credentialsGeneration: 2 }, { generation: 2 }), says);
    };
    // Requests to a pod fail while it restarts, and while the gateway still uses its old address. So the gateway
    // restarts last.
    const restart = async () => {
      const pods = ["nginx-set-0-west", "nginx-set-1-west"];
      assertNoneFailed(await stream.during(() => restartEverything(theMesh())), ...pods);
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
}

async function restartEverything({ kubectl, rolledOut }: Mesh): Promise<void> {
  for (const namespace of ["linkerd", "shop", "linkerd-multicluster"])
    await Promise.all(
      names.map(async (name) => {
        await kubectl(name, "rollout", "restart", rolloutKinds, `--namespace=${namespace}`);
        await rolledOut(name, namespace);
      }),
    );
}

async function runWith({ stack, up }: Mesh, link: Config, trust: Config = {}): Promise<string> {
  await stack.configure(config(link, trust));
  return up();
}
