import assert from "node:assert/strict";
import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import { errorOf, listError, serviceList, withCluster } from "./scripted-cluster.ts";

describe("a cluster that can't be reached", () => {
  it("refuses connections", async () => {
    const { error, client } = await listError(() => "reset", {
      clusterEntry: { server: "http://127.0.0.1:1" },
    });
    assert.equal(error.kind, "unreachable");
    assert(error.clusterUnavailable);
    assert.equal(
      error.message,
      "cluster west can't be reached at http://127.0.0.1:1 to list services: the connection was refused (ECONNREFUSED) after 2 attempts; check that it runs and that context k3d-west has its address and certificate authority",
    );
    assert.equal(client.requests.reads, 2);
  });

  it("does not speak TLS, which no second attempt mends", () =>
    withCluster(
      () => serviceList([]),
      async ({ url }) => {
        const server = url.replace("http:", "https:");
        const { error, client } = await listError(() => "reset", { clusterEntry: { server } });
        assert.match(error.message, /TLS failed \((ERR_SSL|EPROTO)/);
        assert.equal(client.requests.reads, 1);
      },
    ));

  it("is asked for long again once it has answered, until it is given up", () => {
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

  it("is one whose client was closed", async () => {
    const { client } = await listError(() => "reset");
    const { kind, message } = await errorOf(client.list(resources.services));
    assert.equal(kind, "unreachable");
    assert.match(message, /this client was closed/);
    assert.equal(client.requests.reads, 3);
  });
});
