import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import http from "node:http";
import net from "node:net";
import path from "node:path";
import { promisify } from "node:util";
import { resources } from "../../../engine/kubernetes/resources.ts";
import { errorOf, listen, serviceList, withCluster, withFolder } from "./scripted-cluster.ts";

/** A self-signed certificate for 127.0.0.1, and the same in the kubeconfig's base64. */
async function certificate(folder: string, name: string) {
  const key = path.join(folder, `${name}.key`);
  const cert = path.join(folder, `${name}.crt`);
  await promisify(execFile)("openssl", [
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
    ...["-keyout", key, "-out", cert, "-days", "2", "-subj", `/CN=${name}`],
    ...["-addext", "subjectAltName=IP:127.0.0.1"],
  ]);
  const pem = { key: await readFile(key), cert: await readFile(cert) };
  return { ...pem, keyData: pem.key.toString("base64"), certData: pem.cert.toString("base64") };
}

const noOpenssl = spawnSync("openssl", ["version"]).error !== undefined;

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

  it("go through the proxy of the kubeconfig", () =>
    withFolder(async (folder) => {
      const server = await certificate(folder, "server");
      const asked: string[] = [];
      const proxy = http.createServer();
      proxy.on("connect", (request, socket) => {
        asked.push(request.url ?? "");
        const { port } = new URL(`http://${request.url ?? ""}`);
        const upstream = net.connect(Number(port), "127.0.0.1", () => {
          socket.write("HTTP/1.1 200 OK\r\n\r\n");
          upstream.pipe(socket).pipe(upstream);
        });
        upstream.on("error", () => socket.destroy());
        socket.on("error", () => upstream.destroy());
      });
      const port = await listen(proxy);
      try {
        await withCluster(
          () => serviceList(["a"]),
          async ({ client, url }) => {
            assert.equal((await client.list(resources.services)).length, 1);
            assert.deepEqual(asked, [new URL(url).host]);
          },
          {
            tls: server,
            clusterEntry: {
              "certificate-authority-data": server.certData,
              "proxy-url": `http://127.0.0.1:${port}`,
            },
          },
        );
      } finally {
        proxy.close();
      }
    }));

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
