import assert from "node:assert/strict";
import { resources } from "../../../engine/kubernetes/resources.ts";
import { certificate, noOpenssl } from "./certificate.ts";
import { errorOf, serviceList, withCluster, withFolder } from "./scripted-cluster.ts";

describe(`connections${noOpenssl ? " (skipped: no openssl on PATH to make certificates)" : ""}`, () => {
  before(function () {
    if (noOpenssl) this.skip();
  });

  it("verify the server's certificate and show the user's", () =>
    withFolder(async (folder) => {
      const [server, user] = await Promise.all([
        certificate(folder, "server"),
        certificate(folder, "user"),
      ]);
      const tls = { ...server, ca: user.cert, requestCert: true, rejectUnauthorized: true };
      await withCluster(
        () => serviceList(["a"]),
        async ({ client }) => {
          assert.equal((await client.list(resources.services)).length, 1);
        },
        {
          tls,
          clusterEntry: { "certificate-authority-data": server.certData },
          user: { "client-certificate-data": user.certData, "client-key-data": user.keyData },
        },
      );
    }));

  it("are not made to a server that the context does not trust", () =>
    withFolder(async (folder) => {
      const server = await certificate(folder, "server");
      await withCluster(
        () => serviceList(["a"]),
        async ({ client, received }) => {
          const error = await errorOf(client.list(resources.services));
          assert.equal(error.kind, "unreachable");
          assert.equal(error.reason, "DEPTH_ZERO_SELF_SIGNED_CERT");
          assert.match(error.message, /its certificate is self-signed/);
          assert.equal(received.length, 0);
          assert.equal(client.requests.reads, 1);
        },
        { tls: server },
      );
    }));

  it("are to a server of the name that tls-server-name gives", () =>
    withFolder(async (folder) => {
      const server = await certificate(folder, "server");
      const entry = { "certificate-authority-data": server.certData };
      const script = () => serviceList(["a"]);
      await withCluster(
        script,
        async ({ client }) => {
          assert.equal((await client.list(resources.services)).length, 1);
        },
        { tls: server, clusterEntry: { ...entry, "tls-server-name": "west.test" } },
      );
      await withCluster(
        script,
        async ({ client }) => {
          const error = await errorOf(client.list(resources.services));
          assert.match(error.message, /its certificate is for another host name/);
        },
        { tls: server, clusterEntry: { ...entry, "tls-server-name": "east.test" } },
      );
    }));

  it("are verified whatever NODE_TLS_REJECT_UNAUTHORIZED says", () =>
    withFolder(async (folder) => {
      const server = await certificate(folder, "server");
      const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
      try {
        await withCluster(
          () => serviceList(["a"]),
          async ({ client }) => {
            assert.equal((await errorOf(client.list(resources.services))).kind, "unreachable");
          },
          { tls: server },
        );
      } finally {
        if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
        else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
      }
    }));

  it("carry each group and each extra value of an impersonated user", () =>
    withCluster(
      () => serviceList([]),
      async ({ client, received }) => {
        await client.list(resources.services);
        const headers = received[0]?.headers ?? {};
        assert.equal(headers["impersonate-user"], "jane");
        assert.equal(headers["impersonate-group"], "a, b");
        assert.equal(headers["impersonate-extra-scopes"], "x, y");
      },
      {
        user: {
          token: "t",
          as: "jane",
          "as-groups": ["a", "b"],
          "as-user-extra": { scopes: ["x", "y"] },
        },
      },
    ));

  it("respect a path of the server's", () =>
    withCluster(
      () => serviceList([]),
      async ({ client, received }) => {
        await client.list(resources.services);
        assert.equal(received[0]?.url.pathname, "/k8s/clusters/c-1/api/v1/services");
      },
      { serverPath: "/k8s/clusters/c-1/" },
    ));
});
