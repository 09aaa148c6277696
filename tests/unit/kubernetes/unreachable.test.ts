import assert from "node:assert/strict";
import http from "node:http";
import path from "node:path";
import { connect } from "../../../engine/kubernetes/connect.ts";
import { resources } from "../../../engine/kubernetes/resources.ts";
import {
  errorOf,
  FakeTime,
  listen,
  serviceList,
  withCluster,
  withFolder,
  writeKubeconfig,
} from "./scripted-cluster.ts";

async function unusedPort(): Promise<number> {
  const server = http.createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe("a cluster that can't be reached", () => {
  const listFrom = (server: string, expect: RegExp, attempts: number) =>
    withFolder(async (folder) => {
      const kubeconfig = await writeKubeconfig(path.join(folder, "config"), "k3d-west", {
        cluster: { server },
        user: { token: "token-of-west" },
      });
      const time = new FakeTime();
      const client = await connect({ context: "k3d-west", kubeconfig }, "west", { time });
      const error = await errorOf(client.list(resources.services));
      await client.close();
      assert.equal(error.kind, "unreachable");
      assert(error.clusterUnavailable);
      assert.match(error.message, expect);
      assert.equal(client.requests.reads, attempts);
    });

  it("refuses connections", async () => {
    const server = `https://127.0.0.1:${await unusedPort()}`;
    await listFrom(
      server,
      new RegExp(
        `^cluster west can't be reached at ${server} to list services: the connection was refused \\(ECONNREFUSED\\) after 2 attempts; check that it runs and that context k3d-west has its address`,
      ),
      2,
    );
  });

  it("does not speak TLS, which no second attempt mends", async () => {
    const server = http.createServer();
    const port = await listen(server);
    try {
      await listFrom(`https://127.0.0.1:${port}`, /TLS failed \((ERR_SSL|EPROTO)/, 1);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it("is asked with patience again once it has answered, until it is given up", () => {
    let away = false;
    return withCluster(
      () => (away ? "reset" : serviceList([])),
      async ({ client, received }) => {
        await client.list(resources.services);
        away = true;
        await errorOf(client.list(resources.services));
        assert.equal(received.length, 1 + 8);
        await errorOf(client.list(resources.services));
        assert.equal(received.length, 9 + 2);
        away = false;
        await client.list(resources.services);
      },
    );
  });

  it("is one whose client was closed", () =>
    withCluster(
      () => serviceList([]),
      async ({ client }) => {
        await client.list(resources.services);
        await client.close();
        const error = await errorOf(client.list(resources.services));
        assert.equal(error.kind, "unreachable");
        assert.match(error.message, /this client was closed/);
        assert.equal(client.requests.reads, 2);
      },
    ));
});
