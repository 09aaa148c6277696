import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Kubernetes } from "../../../engine/kubernetes/client/interface.ts";
import { inParallel } from "../../../engine/kubernetes/client/parallel.ts";
import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import { poll } from "../../../engine/kubernetes/client/retry.ts";
import {
  errorOf,
  listError,
  type Received,
  type Reply,
  type Script,
  type ScriptedCluster,
  serviceList,
  status,
  withCluster,
  withFolder,
  writeKubeconfig,
} from "./scripted-cluster.ts";

/** Lets in whoever has the token. */
const guarded =
  (token: string) =>
  ({ headers }: Received): Reply =>
    headers.authorization === `Bearer ${token}`
      ? serviceList([])
      : status(401, "Unauthorized", "Unauthorized");

/** A cluster whose credential plugin counts its runs in a file and gives out tokens `token-<run>`. */
function withPlugin(
  script: Script,
  test: (cluster: ScriptedCluster, runs: () => Promise<number>) => Promise<void>,
  expirationTimestamp?: string,
): Promise<void> {
  return withFolder(async (folder) => {
    const file = path.join(folder, "runs");
    const text = `
      const fs = require("node:fs");
      fs.appendFileSync(${JSON.stringify(file)}, "x");
      const token = "token-" + fs.readFileSync(${JSON.stringify(file)}).length;
      const status = { token, ...${JSON.stringify({ expirationTimestamp })} };
      const apiVersion = "client.authentication.k8s.io/v1";
      console.log(JSON.stringify({ apiVersion, kind: "ExecCredential", status }));`;
    const exec = {
      ...{ apiVersion: "client.authentication.k8s.io/v1", interactiveMode: "Never" },
      ...{ command: process.execPath, args: ["-e", text] },
    };
    const runs = async () => (await readFile(file)).length;
    await withCluster(script, (cluster) => test(cluster, runs), { user: { exec } });
  });
}

const list = (client: Kubernetes) => client.list(resources.services);
const many = (client: Kubernetes, limit?: number) =>
  inParallel(Array(20).fill(0), () => list(client), limit);

describe("credentials", () => {
  it("are read again once when the server no longer takes them", () =>
    withCluster(guarded("new"), async ({ client, received, kubeconfig, url }) => {
      const cluster = { server: url, "insecure-skip-tls-verify": true };
      await writeKubeconfig(kubeconfig, "k3d-west", { cluster, user: { token: "new\n" } });
      await list(client);
      assert.deepEqual(
        received.map(({ headers }) => headers.authorization),
        ["Bearer token-of-west", "Bearer new"],
      );
    }));

  it("that are refused for good are an error, after no attempt with the same ones", async () => {
    const { error, received } = await listError(guarded("other"));
    assert.equal(error.kind, "unauthorized");
    assert(!error.clusterUnavailable);
    assert.equal(received.length, 1);
  });

  it("that are refused while the kubeconfig has gone are still an error about them", () =>
    withCluster(guarded("other"), async ({ client, kubeconfig }) => {
      await writeFile(kubeconfig, "");
      assert.equal((await errorOf(list(client))).kind, "unauthorized");
    }));

  for (const [how, token, limit, expected] of [
    ["which runs once for all requests", "token-1", 20, 1],
    ["which runs again after a 401, once for all requests", "token-2", 20, 2],
    ["which does not run again for every request that is refused", "never", 4, 2],
  ] as const)
    it(`come from a plugin, ${how}`, () =>
      withPlugin(guarded(token), async ({ client }, runs) => {
        const results = await many(client, limit);
        const isIn = results.every((result) => result.status === "fulfilled");
        assert.deepEqual([await runs(), isIn], [expected, token !== "never"]);
      }));

  it("come from a plugin again when they have expired", () =>
    withPlugin(
      ({ headers }) => serviceList([(headers.authorization ?? "").replace("Bearer ", "")]),
      async ({ client, time }) => {
        const [first] = await list(client);
        const [second] = await list(client);
        time.pass(31_000);
        const [third] = await list(client);
        assert.deepEqual(
          [first, second, third].map((item) => item?.metadata.name),
          ["token-1", "token-1", "token-2"],
        );
      },
      "2020-01-01T00:00:00Z",
    ));

  it("come from a plugin again as soon as they expire, if that is before they are looked at again", () => {
    const soon = Date.now() + 1000;
    return withPlugin(
      () => serviceList([]),
      async ({ client, time }, runs) => {
        await list(client);
        await list(client);
        assert.equal(await runs(), 1);
        const isOver = () => Promise.resolve(Date.now() >= soon);
        await poll(isOver, Boolean, { within: 5000, every: 50 });
        time.pass(1_001);
        await list(client);
        assert.equal(await runs(), 2);
      },
      new Date(soon).toISOString(),
    );
  });
});
