import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { serverFacts } from "../../../engine/credentials/server.ts";
import { KubeconfigError } from "../../../engine/kubernetes/kubeconfig/kubeconfig.ts";
import { withFolder, writeKubeconfig } from "../kubernetes/scripted-cluster.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");
const pem = (name: string, kind = "CERTIFICATE") =>
  `-----BEGIN ${kind}-----\n${base64(name)}\n-----END ${kind}-----`;
const key = pem("canary", "PRIVATE KEY");

/** A kubeconfig can hold no other credentials. */
const user = {
  token: "canary-token",
  "client-certificate-data": base64("canary-certificate"),
  "client-key-data": base64("canary-key"),
};

type Facts = Partial<Awaited<ReturnType<typeof serverFacts>>>;

/** Returns the facts of a kubeconfig's entry, or the sentence with which it is refused. */
async function read(cluster: object, apiServer?: string): Promise<Facts & { refused?: string }> {
  let result = {};
  await withFolder(async (folder) => {
    const kubeconfig = path.join(folder, "config");
    await writeKubeconfig(kubeconfig, "k3d-west", { cluster: { ...cluster }, user });
    await writeFile(path.join(folder, "ca.pem"), `${key}\n${pem("one")}\n# note\n${pem("two")}\n`);
    const access = { context: "k3d-west", kubeconfig };
    const args = { access, target: "west", ...(apiServer !== undefined && { apiServer }) };
    result = await serverFacts(args).catch((error: unknown) => {
      assert(error instanceof KubeconfigError, String(error));
      return { refused: error.message };
    });
  });
  for (const secret of [...Object.values(user), "canary", base64("canary"), base64(key)])
    assert(!JSON.stringify(result).includes(secret), secret);
  return result;
}

const server = "https://west.example.com:6443";
const certificateAuthority = base64(`${pem("one")}\n`);
const ca = { "certificate-authority-data": certificateAuthority };

describe("a target's API server, as other clusters reach it", () => {
  it("comes from the kubeconfig with its authority, unless apiServer is set", async () => {
    assert.deepEqual(await read({ server, ...ca }), { server, certificateAuthority });
    assert.deepEqual(await read({ server, ...ca }, "https://a"), {
      server: "https://a",
      certificateAuthority,
    });
    assert.deepEqual(await read({ server }), { server });
  });

  it("keeps its path and TLS name, but no proxy", async () => {
    const rancher = {
      server: "https://rancher.example.com/k8s/clusters/c-1/",
      "tls-server-name": "kubernetes",
      "proxy-url": "http://me:canary@proxy.example.com",
    };
    assert.deepEqual(await read(rancher), {
      server: rancher.server.slice(0, -1),
      tlsServerName: "kubernetes",
    });
  });

  it("has the certificates of a text or a file without the key beside them", async () => {
    const keyed = { "certificate-authority-data": base64(`${key}\n${pem("one")}`) };
    assert.deepEqual(await read({ server, ...keyed }), { server, certificateAuthority });
    const both = await read({ server, "certificate-authority": "ca.pem" });
    assert.equal(both.certificateAuthority, base64(`${pem("one")}\n${pem("two")}\n`));
  });

  async function refuses(cluster: object, sentence: RegExp) {
    assert.match((await read(cluster)).refused ?? "", sentence);
  }

  it("is refused without verification", async () => {
    const skip = { "insecure-skip-tls-verify": true };
    await refuses({ server: "http://west.example.com", ...skip }, /is plain http/);
    await refuses(
      { server, ...skip },
      /^cluster west: .*insecure-skip-tls-verify and no certificate authority/,
    );
    const none = { "certificate-authority-data": base64(key) };
    await refuses({ server, ...none }, /contains no PEM certificate/);
    const missing = { "certificate-authority": "missing.pem" };
    await refuses({ server, ...missing }, /missing\.pem can't be read \(ENOENT\)/);
  });

  for (const host of ["127.0.0.1:6443", "localhost:6443", "[::1]:6443", "0.0.0.0:1"])
    it(`is refused at ${host} unless apiServer is set`, async () => {
      const own = { server: `https://${host}`, ...ca };
      await refuses(
        own,
        /is local to this machine, so other clusters can't reach it; set clusters\.west\.apiServer/,
      );
      assert.equal((await read(own, server)).server, server);
    });
});
