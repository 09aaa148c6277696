import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { inParallel } from "../../../engine/kubernetes/parallel.ts";
import { resources } from "../../../engine/kubernetes/resources.ts";
import { poll } from "../../../engine/kubernetes/retry.ts";
import {
  errorOf,
  type Received,
  type Reply,
  serviceList,
  status,
  withCluster,
  withFolder,
  writeKubeconfig,
} from "./scripted-cluster.ts";

const unauthorized = status(401, "Unauthorized", "Unauthorized");

/** Lets in whoever has the token. */
const guarded =
  (token: string) =>
  ({ headers }: Received): Reply =>
    headers.authorization === `Bearer ${token}` ? serviceList([]) : unauthorized;

/** A credential plugin that counts its runs in a file and gives out tokens `token-<run>`. */
function plugin(folder: string, expires?: string) {
  const status = expires === undefined ? "" : `, expirationTimestamp: "${expires}"`;
  const script = `
    const fs = require("node:fs");
    fs.appendFileSync(${JSON.stringify(path.join(folder, "runs"))}, "x");
    const run = fs.readFileSync(${JSON.stringify(path.join(folder, "runs"))}).length;
    console.log(JSON.stringify({
      apiVersion: "client.authentication.k8s.io/v1",
      kind: "ExecCredential",
      status: { token: "token-" + run${status} },
    }));`;
  return {
    exec: {
      apiVersion: "client.authentication.k8s.io/v1",
      interactiveMode: "Never",
      command: process.execPath,
      args: ["-e", script],
    },
  };
}

const runs = async (folder: string) => (await readFile(path.join(folder, "runs"))).length;

describe("credentials", () => {
  it("are read again once when the server no longer takes them", () =>
    withCluster(guarded("new"), async ({ client, received, kubeconfig, url }) => {
      const cluster = { server: url, "insecure-skip-tls-verify": true };
      await writeKubeconfig(kubeconfig, "k3d-west", { cluster, user: { token: "new\n" } });
      await client.list(resources.services);
      assert.deepEqual(
        received.map(({ headers }) => headers.authorization),
        ["Bearer token-of-west", "Bearer new"],
      );
    }));

  it("that are refused for good are an error, after no attempt with the same ones", () =>
    withCluster(guarded("other"), async ({ client, received }) => {
      const error = await errorOf(client.list(resources.services));
      assert.equal(error.kind, "unauthorized");
      assert(!error.clusterUnavailable);
      assert.equal(received.length, 1);
    }));

  it("that are refused while the kubeconfig has gone are still an error about them", () =>
    withCluster(guarded("other"), async ({ client, kubeconfig }) => {
      await writeFile(kubeconfig, "");
      assert.equal((await errorOf(client.list(resources.services))).kind, "unauthorized");
    }));

  it("come from a plugin, which runs once for all requests", () =>
    withFolder((folder) =>
      withCluster(
        guarded("token-1"),
        async ({ client }) => {
          await inParallel(Array(20).fill(0), () => client.list(resources.services));
          assert.equal(await runs(folder), 1);
        },
        { user: plugin(folder) },
      ),
    ));

  it("come from a plugin again after a 401, once for all requests", () =>
    withFolder((folder) =>
      withCluster(
        guarded("token-2"),
        async ({ client }) => {
          const results = await inParallel(Array(20).fill(0), () =>
            client.list(resources.services),
          );
          assert(results.every((result) => result.status === "fulfilled"));
          assert.equal(await runs(folder), 2);
        },
        { user: plugin(folder) },
      ),
    ));

  it("come from a plugin again, but not for every request that is refused", () =>
    withFolder((folder) =>
      withCluster(
        guarded("never"),
        async ({ client }) => {
          await inParallel(Array(20).fill(0), () => client.list(resources.services), 4);
          assert.equal(await runs(folder), 2);
        },
        { user: plugin(folder) },
      ),
    ));

  it("come from a plugin again when they have expired", () =>
    withFolder((folder) =>
      withCluster(
        ({ headers }) => serviceList([(headers.authorization ?? "").replace("Bearer ", "")]),
        async ({ client, time }) => {
          const [first] = await client.list(resources.services);
          const [second] = await client.list(resources.services);
          time.pass(31_000);
          const [third] = await client.list(resources.services);
          assert.deepEqual(
            [first, second, third].map((item) => item?.metadata.name),
            ["token-1", "token-1", "token-2"],
          );
        },
        { user: plugin(folder, "2020-01-01T00:00:00Z") },
      ),
    ));

  it("come from a plugin again as soon as they expire, if that is before they are looked at again", () => {
    const soon = Date.now() + 3000;
    return withFolder((folder) =>
      withCluster(
        () => serviceList([]),
        async ({ client, time }) => {
          await client.list(resources.services);
          await client.list(resources.services);
          assert.equal(await runs(folder), 1);
          await poll(() => Promise.resolve(Date.now() >= soon), Boolean, {
            within: 9000,
            every: 50,
          });
          time.pass(3_001);
          await client.list(resources.services);
          assert.equal(await runs(folder), 2);
        },
        { user: plugin(folder, new Date(soon).toISOString()) },
      ),
    );
  });
});
