import { deepEqual, equal, match } from "node:assert/strict";
import { checkMesh } from "../../../engine/health/check-mesh.ts";
import { debugLog } from "../../../engine/kubernetes/client/log.ts";
import { Clusters } from "../../../engine/reading/clusters.ts";
import { readMesh } from "../../../engine/reading/read-mesh.ts";
import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import { TrustRoot } from "../../../components/trust-root.ts";
import { mockedStack, valueOf } from "../../components/mocked-stack.ts";
import { mesh } from "../health/views.ts";
import {
  errorOf,
  forEachTest,
  listError,
  type Script,
  serviceList,
  status,
} from "./scripted-cluster.ts";

describe("the debug log", () => {
  const { open } = forEachTest();

  it("has a line for each request and each retry, and no content", async () => {
    const lines: string[] = [];
    const script: Script = ({ method }, index) => {
      if (method === "POST") return status(409, "AlreadyExists", "canary");
      return index === 0 ? status(429, "TooManyRequests", "canary") : serviceList(["canary"]);
    };
    const { client } = await open(script, { log: (line) => lines.push(line) });
    await client.list(resources.services, { labelSelector: "canary-query=1" });
    const metadata = { namespace: "shop", name: "cart" };
    const secret = { metadata, data: { token: "canary-body" } };
    equal((await errorOf(client.create(resources.secrets, secret))).kind, "alreadyExists");
    deepEqual(lines, [
      "list services in cluster west: 429 throttled TooManyRequests, 0 ms, attempt 1",
      "list services in cluster west: retry in 50 ms (429 throttled TooManyRequests)",
      "list services in cluster west: ok, 0 ms, attempt 2",
      "create Secret shop/cart in cluster west: 409 alreadyExists AlreadyExists, 0 ms, attempt 1",
    ]);
  });

  it("is off by default, and prints no control characters", () => {
    const written: string[] = [];
    const write = (text: string) => written.push(text);
    equal(debugLog({ LINKERD_MULTICLUSTER_LOG: "info" }, write), undefined);
    debugLog({ LINKERD_MULTICLUSTER_LOG: "debug" }, write)?.("get Service shop/\u001b[2Jcart\n");
    deepEqual(written, ["linkerd-multicluster: get Service shop/?[2Jcart?\n"]);
  });

  it("is switched on by the environment of the connection", async () => {
    const environment = { variables: { LINKERD_MULTICLUSTER_LOG: "debug" }, home: "/" };
    match(
      await onStderr(() => listError(() => ({ status: 404 }), { environment })),
      /^linkerd-multicluster: list services in cluster west: 404 notFound, \d+ ms, attempt 1\n$/,
    );
  });

  it("has the decisions that no preview shows", async () => {
    const { LINKERD_MULTICLUSTER_LOG: before } = process.env;
    process.env.LINKERD_MULTICLUSTER_LOG = "debug";
    const reply = { body: { kind: "Namespace", metadata: { name: "kube-system", uid: "0a1b" } } };
    const { client } = await open(() => reply, { log: () => undefined });
    const text = await onStderr(async () => {
      const clusters = Object.assign(new Clusters(), { connect: () => Promise.resolve(client) });
      await readMesh({ clusters: { west: { context: "west" } } }, clusters, {
        installations: { linkerdNamespace: "linkerd", clusters: { west: {} } },
      });
      const nothing = { clusters: [], links: [] };
      await checkMesh(mesh(), { within: 0, every: 1 }, () => Promise.resolve(nothing));
      const trust = { kind: "external" } as const;
      const args = { trust, live: new Map(), issuerNames: new Map() };
      const { result } = await mockedStack(() => new TrustRoot("trust", args));
      await valueOf(result.stage);
    });
    if (before === undefined) delete process.env.LINKERD_MULTICLUSTER_LOG;
    else process.env.LINKERD_MULTICLUSTER_LOG = before;
    deepEqual(text.split("\n"), [
      "linkerd-multicluster: cluster west has UID 0a1b",
      "linkerd-multicluster: health: 0 passed",
      "linkerd-multicluster: trust: settled",
      "",
    ]);
  });
});

/** Returns what is written to stderr meanwhile. */
async function onStderr(work: () => Promise<unknown>): Promise<string> {
  const written: string[] = [];
  const write = process.stderr.write.bind(process.stderr);
  process.stderr.write = (text) => written.push(String(text)) > 0;
  await work().finally(() => (process.stderr.write = write));
  return written.join("");
}
