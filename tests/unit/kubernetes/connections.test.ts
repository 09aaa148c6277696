import assert from "node:assert/strict";
import { certificate, noOpenssl } from "./certificate.ts";
import {
  listError,
  listing,
  type ScriptedOptions,
  serviceList,
  withFolder,
} from "./scripted-cluster.ts";

describe(`connections${noOpenssl ? " (skipped: no openssl on PATH to make certificates)" : ""}`, () => {
  before(function () {
    if (noOpenssl) this.skip();
  });

  const script = () => serviceList(["a"]);

  /** A server with a certificate, and options that trust it. */
  const withServer = (
    test: (
      trusting: ScriptedOptions & { readonly tls: Awaited<ReturnType<typeof certificate>> },
      folder: string,
    ) => Promise<void>,
  ) =>
    withFolder(async (folder) => {
      const tls = await certificate(folder, "server");
      await test({ tls, clusterEntry: { "certificate-authority-data": tls.certData } }, folder);
    });

  it("verify the server's certificate and show the user's", () =>
    withServer(async (trusting, folder) => {
      const user = await certificate(folder, "user");
      const { names } = await listing(script, {
        ...trusting,
        tls: { ...trusting.tls, ca: user.cert, requestCert: true, rejectUnauthorized: true },
        user: { "client-certificate-data": user.certData, "client-key-data": user.keyData },
      });
      assert.equal(names.length, 1);
    }));

  it("are not made to a server that the context does not trust, whatever NODE_TLS_REJECT_UNAUTHORIZED says", () =>
    withServer(async ({ tls }) => {
      const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
      try {
        const { error, client, received } = await listError(script, { tls });
        assert.equal(error.kind, "unreachable");
        assert.equal(error.reason, "DEPTH_ZERO_SELF_SIGNED_CERT");
        assert.match(error.message, /its certificate is self-signed/);
        assert.deepEqual([received.length, client.requests.reads], [0, 1]);
      } finally {
        if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
        else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
      }
    }));

  it("are to a server of the name that tls-server-name gives", () =>
    withServer(async ({ tls, clusterEntry }) => {
      const named = (name: string) => ({ ...clusterEntry, "tls-server-name": name });
      const { names } = await listing(script, { tls, clusterEntry: named("west.test") });
      assert.equal(names.length, 1);
      const { error } = await listError(script, { tls, clusterEntry: named("east.test") });
      assert.match(error.message, /its certificate is for another host name/);
    }));

  it("carry each group and each extra value of an impersonated user", async () => {
    const as = { as: "jane", "as-groups": ["a", "b"], "as-user-extra": { scopes: ["x", "y"] } };
    const { received } = await listing(script, { user: { token: "t", ...as } });
    const headers = received[0]?.headers ?? {};
    assert.equal(headers["impersonate-user"], "jane");
    assert.equal(headers["impersonate-group"], "a, b");
    assert.equal(headers["impersonate-extra-scopes"], "x, y");
  });

  it("respect a path of the server's", async () => {
    const { received } = await listing(script, { serverPath: "/k8s/clusters/c-1/" });
    assert.equal(received[0]?.url.pathname, "/k8s/clusters/c-1/api/v1/services");
  });
});
