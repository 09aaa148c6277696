import assert from "node:assert/strict";

import { inNamespace } from "../e2e/access-clusters.ts";
import { lackingForMesh, skipNoteOf } from "./real-nodes.ts";
import { chartsFolder } from "./real-plugins.ts";
import { ask, askPod, authorityOf, verify } from "./traffic/asking.ts";
import { type Mesh, startMesh } from "./traffic/mesh.ts";
import { forge } from "./traffic/policies.ts";
import { assertNoneFailed, type Stream, summaryOf, tallyOf } from "./traffic/stream.ts";
import {
  addAccount,
  addDeployment,
  addService,
  addStatefulSet,
  exported,
  namespace,
} from "./traffic/workloads.ts";
import { until } from "../bed/bed.ts";
import { startWatch } from "../bed/running-watch.ts";
import type { Config } from "../bed/stack.ts";

const lacking = await lackingForMesh();
const importers = "linkerd-multicluster/clusters";

/** Each test continues from the one before. */
describe(`a closed gateway, through Linkerd's own proxies${skipNoteOf(lacking)}`, function () {
  this.timeout("40m");

  let mesh: Mesh | undefined;

  before(async function () {
    if (lacking.length > 0) return this.skip();
    mesh = await startMesh(config("exported"));
    const { west, east, north } = mesh.bed.clusters;
    await addDeployment(west, { name: "web", program: "server" });
    await addDeployment(west, { name: "secret", program: "server" });
    await addService(west, "web", "web", exported);
    await addService(west, "docs", "web", exported);
    await addService(west, "secret", "secret", {});
    await addService(west, "nginx-svc", "nginx-set", exported, { clusterIP: "None" });
    await addStatefulSet(west, { name: "nginx-set", program: "server" }, "nginx-svc");
    for (const [cluster, name] of [
      [east, "client"],
      [north, "visitor"],
    ] as const) {
      await addAccount(cluster, name);
      await addDeployment(cluster, { name, program: name, account: name });
    }
    for (const name of ["west", "east", "north"] as const) await mesh.rolledOut(name);
    await mesh.up();
    // Whoever may write to a namespace can name any Service of another cluster there.
    for (const service of ["secret", "docs"]) await forge(east, service);
    await forge(north, "web");
  });
  after(async () => {
    for (const line of summaryOf((await mesh?.stream.since(0)) ?? new Map()))
      console.log(`    ${line}`);
    await mesh?.bed.stop();
  });

  it("admits clients of every importer to what is exported, and its probe", async () => {
    const { bed, kubectl, stream, visitors } = theMesh();
    await ask(stream, "web-west");
    await ask(stream, "forged-docs");
    await askPod(stream, "nginx-set-0");
    await ask(visitors, "forged-web");
    const probe = `http://${bed.node("west").balancer}:4191/ready`;
    const words = ["-n=shop", "deploy/client", "-c=linkerd-proxy", "--", "curl", "-sf", probe];
    assert.equal(await kubectl("east", "exec", ...words), "ready");
  });

  it("refuses a client that names what is not exported", async () => {
    await assertForbidden(theMesh().stream, "forged-secret");
    const answers = await verify(theMesh());
    const refused = answers.filter(({ mustBeRefused }) => mustBeRefused);
    assert.deepEqual(
      refused.map(({ source, status, hop }) => [source, status, hop]),
      [
        ["east", 403, undefined],
        ["north", 403, undefined],
      ],
    );
    const { kubectl } = theMesh();
    const left = ["get", "services,endpoints,pods", "--all-namespaces", "--output=name"];
    for (const name of ["east", "north"] as const)
      await until("the end of what verify created", [], async () =>
        /linkerd-clusters-verify/.test(await kubectl(name, ...left)) ? undefined : true,
      );
  });

  it("loses no request of others while exports change, and refuses whom an exporter no longer lists", async () => {
    const { bed, stack, stream, up, visitors } = theMesh();
    const { west } = bed.clusters;
    const service = (name: string) => inNamespace(namespace, `services/${name}`);
    const many = Array.from({ length: 15 }, (_, number) => `many-${number}`);
    const changes = [
      () => addService(west, "new", "web", exported),
      () => west.request("PATCH", service("web"), annotated("east")),
      () => west.request("PATCH", service("web"), annotated("east,north")),
      // More hostnames than one route has.
      () => Promise.all(many.map((name) => addService(west, name, "web", exported))),
      () => Promise.all(many.map((name) => west.request("DELETE", service(name)))),
      () => stack.configure(config("exported", ["shop/client"])),
      () => stack.configure(config("exported")),
      () => west.request("PATCH", service("docs"), { metadata: { labels: unlabelled } }),
      () => west.request("PATCH", service("docs"), { metadata: { labels: exported } }),
      () => west.request("PATCH", service("web"), annotated("east")),
    ];
    for (const change of changes) {
      const during = await stream.during(async () => {
        await change();
        await up();
      });
      assertNoneFailed(during, "forged-docs");
    }
    await ask(stream, "new-west");
    await assertForbidden(visitors, "forged-web");
    await west.request("PATCH", service("web"), annotated("east,north"));
    assertNoneFailed(await stream.during(up));
    await ask(visitors, "forged-web");
  });

  it("refuses requests for what the watch sees exported no longer", async () => {
    const { bed, stack, stream } = theMesh();
    await ask(stream, "forged-docs");
    const watch = startWatch(bed, stack);
    await until("the watch", [watch], () =>
      Promise.resolve(watch.events.some(({ event }) => event === "dryRun") || undefined),
    );
    const begun = Date.now();
    const docs = inNamespace(namespace, "services/docs");
    await bed.clusters.west.request("PATCH", docs, { metadata: { labels: unlabelled } });
    await stream.failed("forged-docs");
    const [first] = tallyOf(await stream.since(begun), "forged-docs").failed;
    console.log(`      refused ${(first?.at ?? 0) - begun} ms after the label was removed`);
    process.kill(watch.pid, "SIGTERM");
    await watch.ended;
    assertNoneFailed(await stream.since(begun), "forged-docs");
    await assertForbidden(stream, "forged-docs");
  });

  it("that somebody opens is closed by the next run, as the preview says", async () => {
    const { bed, stack, stream, up } = theMesh();
    const { west } = bed.clusters;
    const server = { group: "policy.linkerd.io", kind: "Server", name: "linkerd-gateway" };
    await west.request("PATCH", chartPolicy, { spec: { targetRef: server } });
    await ask(stream, "forged-secret");
    await stream.remove("forged-secret");
    const [passed] = (await verify(theMesh())).filter(({ mustBeRefused }) => mustBeRefused);
    assert.match(passed?.why ?? "", /it passed a request for \S+ on/);
    assert.match(await stack.pulumi("preview", "--diff"), /west: close the gateway of west/);
    assertNoneFailed(await stream.during(up));
    await assertForbidden(stream, "forged-secret");
  });

  it("opens without a failure when the config no longer closes it", async () => {
    const { bed, stack, stream, up } = theMesh();
    await stack.configure(config("open"));
    assertNoneFailed(await stream.during(up));
    await ask(stream, "forged-secret");
    const { body } = await bed.clusters.west.request("GET", routes);
    assert.deepEqual((body as { readonly items: unknown }).items, []);
  });

  function theMesh(): Mesh {
    if (mesh === undefined) throw new Error("there is no mesh");
    return mesh;
  }
});

const multicluster = "/apis/policy.linkerd.io/v1alpha1/namespaces/linkerd-multicluster";
const chartPolicy = `${multicluster}/authorizationpolicies/linkerd-gateway`;
const routes = `${multicluster.replace("v1alpha1", "v1beta3")}/httproutes`;
const unlabelled = Object.fromEntries(Object.keys(exported).map((key) => [key, null]));
const annotated = (list: string) => ({ metadata: { annotations: { [importers]: list } } });

/** Asserts that all requests for a Service get 403 from now on. */
async function assertForbidden(stream: Stream, service: string): Promise<void> {
  await stream.add({ name: service, authority: authorityOf(service) });
  await stream.failed(service);
  const { failed, pods } = tallyOf(await stream.next(10), service);
  assert.deepEqual(pods, new Set());
  for (const { problem = "" } of failed) assert.match(problem, /^403 /);
  await stream.remove(service);
}

/** Each cluster has a trust domain of its own, by which a gateway tells its clients from those of others. */
function config(gatewayAccess: "open" | "exported", gatewayClients?: readonly string[]): Config {
  return {
    manage: "all",
    clusters: {
      west: { gatewayAccess },
      east: {
        gateway: false,
        trustDomain: "east.local",
        ...(gatewayClients && { gatewayClients }),
      },
      north: { gateway: false, trustDomain: "north.local" },
    },
    links: [
      { source: "east", target: "west", headless: true, allowDeletions: true },
      { source: "north", target: "west", headless: true, allowDeletions: true },
    ],
    charts: { source: chartsFolder },
  };
}
