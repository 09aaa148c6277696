import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { serverFacts } from "../../../engine/credentials/server.ts";
import { KubeconfigError } from "../../../engine/kubernetes/kubeconfig/kubeconfig.ts";
import { withFolder, writeKubeconfig } from "../kubernetes/scripted-cluster.ts";

const pem = (name: string) =>
  `-----BEGIN CERTIFICATE-----\n${Buffer.from(name).toString("base64")}\n-----END CERTIFICATE-----`;
const key = "-----BEGIN PRIVATE KEY-----\nY2FuYXJ5\n-----END PRIVATE KEY-----";
const base64 = (text: string) => Buffer.from(text).toString("base64");

/** Every credential that a kubeconfig can hold. */
const user = {
  token: "canary-token",
  "client-certificate-data": base64("canary-certificate"),
  "client-key-data": base64("canary-key"),
};

const read = (cluster: Readonly<Record<string, unknown>>, apiServer?: string) =>
  withFolderResult(async (folder) => {
    const kubeconfig = path.join(folder, "config");
    await writeKubeconfig(kubeconfig, "k3d-west", { cluster, user });
    await writeFile(path.join(folder, "ca.pem"), `${key}\n${pem("one")}\n# note\n${pem("two")}\n`);
    const access = { context: "k3d-west", kubeconfig };
    return serverFacts({ access, target: "west", ...(apiServer !== undefined && { apiServer }) });
  });

async function withFolderResult<T>(test: (folder: string) => Promise<T>): Promise<T> {
  const results: T[] = [];
  await withFolder(async (folder) => void results.push(await test(folder)));
  const [result] = results;
  assert(result !== undefined);
  return result;
}

async function problem(reading: Promise<unknown>): Promise<string> {
  const error: unknown = await reading.catch((reason: unknown) => reason);
  assert(error instanceof KubeconfigError, `not an KubeconfigError: ${JSON.stringify(error)}`);
  assert.doesNotMatch(error.message, /canary/);
  return error.message;
}

const server = "https://west.example.com:6443";
const ca = { "certificate-authority-data": base64(`${pem("one")}\n`) };

describe("a target's API server, as other clusters reach it", () => {
  it("is the kubeconfig's, with its certificate authority", async () => {
    assert.deepEqual(await read({ server, ...ca }), {
      server,
      certificateAuthority: ca["certificate-authority-data"],
    });
  });

  it("is apiServer where that is given, with the same authority", async () => {
    assert.deepEqual(await read({ server, ...ca }, "https://10.0.0.1"), {
      server: "https://10.0.0.1",
      certificateAuthority: ca["certificate-authority-data"],
    });
  });

  it("keeps a path and a TLS server name, and drops the proxy", async () => {
    const facts = await read({
      server: "https://rancher.example.com/k8s/clusters/c-1/",
      "tls-server-name": "kubernetes",
      "proxy-url": "http://me:canary@proxy.example.com",
      ...ca,
    });
    assert.deepEqual(facts, {
      server: "https://rancher.example.com/k8s/clusters/c-1",
      certificateAuthority: ca["certificate-authority-data"],
      tlsServerName: "kubernetes",
    });
  });

  it("inlines the certificates of a file, without the key beside them", async () => {
    const { certificateAuthority = "" } = await read({ server, "certificate-authority": "ca.pem" });
    const text = Buffer.from(certificateAuthority, "base64").toString();
    assert.equal(text, `${pem("one")}\n${pem("two")}\n`);
  });

  it("carries nothing of the runner's credentials", async () => {
    const keyed = { "certificate-authority-data": base64(`${key}\n${pem("one")}`) };
    const facts = JSON.stringify(await read({ server, ...keyed }));
    for (const secret of [...Object.values(user), "Y2FuYXJ5", base64(key)])
      assert(!facts.includes(secret), secret);
  });

  it("needs no authority where the kubeconfig trusts the public ones", async () => {
    assert.deepEqual(await read({ server }), { server });
  });

  it("is refused where it could not be told from an impostor", async () => {
    const message = await problem(read({ server, "insecure-skip-tls-verify": true }));
    assert.match(message, /^cluster west: .*insecure-skip-tls-verify and no certificate authority/);
  });

  for (const own of [
    "https://127.0.0.1:6443",
    "https://localhost:6443",
    "https://[::1]:6443",
    "https://0.0.0.0:1",
  ])
    it(`is refused at ${own}, and taken where apiServer is given`, async () => {
      const message = await problem(read({ server: own, ...ca }));
      assert.match(
        message,
        /is local to this machine, so other clusters can't reach it; set clusters\.west\.apiServer/,
      );
      assert.equal((await read({ server: own, ...ca }, server)).server, server);
    });

  it("is refused in plain http", async () => {
    const plain = { server: "http://west.example.com", "insecure-skip-tls-verify": true };
    assert.match(await problem(read(plain)), /is plain http/);
  });

  it("is refused where the authority is none, or cannot be read", async () => {
    const none = { "certificate-authority-data": base64(key) };
    assert.match(await problem(read({ server, ...none })), /contains no PEM certificate/);
    const missing = { "certificate-authority": "missing.pem" };
    assert.match(
      await problem(read({ server, ...missing })),
      /missing\.pem can't be read \(ENOENT\)/,
    );
  });
});
