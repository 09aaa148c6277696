import { deepEqual, equal } from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Kubernetes } from "../../../engine/kubernetes/client/interface.ts";
import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import { poll } from "../../../engine/kubernetes/client/retry.ts";
import {
  errorOf,
  forEachTest,
  listError,
  type Script,
  serviceList,
  status,
  writeKubeconfig,
} from "./scripted-cluster.ts";

const guarded =
  (token: string): Script =>
  ({ headers }) =>
    headers.authorization === `Bearer ${token}`
      ? serviceList([])
      : status(401, "Unauthorized", "Unauthorized");

const list = (client: Kubernetes) => client.list(resources.services);

describe("credentials", () => {
  const { open, folder } = forEachTest();

  /** Opens a cluster whose credential plugin counts its runs in a file and returns tokens `token-<run>`. */
  const withPlugin = async (script: Script, expirationTimestamp?: string) => {
    const file = path.join(await folder(), "runs");
    const text = `
      const fs = require("node:fs");
      fs.appendFileSync(${JSON.stringify(file)}, "x");
      const token = "token-" + fs.readFileSync(${JSON.stringify(file)}).length;
      const status = { token, ...${JSON.stringify({ expirationTimestamp })} };
      const apiVersion = "client.authentication.k8s.io/v1";
      console.log(JSON.stringify({ apiVersion, kind: "ExecCredential", status }));`;
    const exec = {
      apiVersion: "client.authentication.k8s.io/v1",
      interactiveMode: "Never",
      command: process.execPath,
      args: ["-e", text],
    };
    const cluster = await open(script, { user: { exec } });
    return { ...cluster, runs: async () => (await readFile(file)).length };
  };

  it("are read again once if the server rejects them", async () => {
    const { client, received, kubeconfig, url } = await open(guarded("new"));
    const cluster = { server: url, "insecure-skip-tls-verify": true };
    await writeKubeconfig(kubeconfig, "k3d-west", { cluster, user: { token: "new\n" } });
    await list(client);
    const shown = received.map(({ headers }) => headers.authorization);
    deepEqual(shown, ["Bearer token-of-west", "Bearer new"]);
  });

  it("fail without a second attempt if the kubeconfig has no others", async () => {
    const { error, received } = await listError(guarded("other"));
    deepEqual([error.kind, error.clusterUnavailable, received.length], ["unauthorized", false, 1]);
  });

  it("fail as unauthorized even if the kubeconfig has disappeared since", async () => {
    const { client, kubeconfig } = await open(guarded("other"));
    await writeFile(kubeconfig, "");
    equal((await errorOf(list(client))).kind, "unauthorized");
  });

  for (const [how, token, expected] of [
    ["that runs once for all requests", "token-1", 1],
    ["that runs again after a 401, once for all requests", "token-2", 2],
    ["that does not run again for every refused request", "never", 2],
  ] as const)
    it(`come from a plugin ${how}`, async () => {
      const { client, runs } = await withPlugin(guarded(token));
      const results = await Promise.allSettled(Array.from({ length: 20 }, () => list(client)));
      const isIn = results.every((result) => result.status === "fulfilled");
      deepEqual([await runs(), isIn], [expected, token !== "never"]);
    });

  it("are renewed by the plugin after they expire", async () => {
    const shown: unknown[] = [];
    const { client, time } = await withPlugin(({ headers }) => {
      shown.push(headers.authorization);
      return serviceList([]);
    }, "2020-01-01T00:00:00Z");
    await list(client);
    await list(client);
    time.pass(31_000);
    await list(client);
    deepEqual(shown, ["Bearer token-1", "Bearer token-1", "Bearer token-2"]);
  });

  it("are renewed by the plugin as soon as they expire, even before the next check of their expiry", async () => {
    const soon = Date.now() + 1000;
    const expiry = new Date(soon).toISOString();
    const { client, time, runs } = await withPlugin(() => serviceList([]), expiry);
    await list(client);
    await list(client);
    equal(await runs(), 1);
    const isOver = () => Promise.resolve(Date.now() >= soon);
    await poll(isOver, Boolean, { within: 5000, every: 50 });
    time.pass(1_001);
    await list(client);
    equal(await runs(), 2);
  });
});
