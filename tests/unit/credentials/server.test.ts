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

/** Every credential that a kubeconfig can hold. */
const user = {
  token: "canary-token",
  "client-certificate-data": base64("canary-certificate"),
  "client-key-data": base64("canary-key"),
};

/** The facts of a kubeconfig's entry, or the sentence with which it is refused. */
async function read(cluster: object, apiServer?: string) {
  const results: Partial<Awaited<ReturnType<typeof serverFacts>> & { refused: string }>[] = [];
  await withFolder(async (folder) => {
    const kubeconfig = path.join(folder, "config");
    await writeKubeconfig(kubeconfig, "k3d-west", { cluster: { ...cluster }, user });
    await writeFile(path.join(folder, "ca.pem"), `${key}\n${pem("one")}\n# note\n${pem("two")}\n`);
    const access = { context: "k3d-west", kubeconfig };
    const args = { access, target: "west", ...(apiServer !== undefined && { apiServer }) };
    const facts = await serverFacts(args).catch((error: unknown) => {
      assert(error instanceof KubeconfigError, String(error));
      return { refused: error.message };
    });
    results.push(facts);
  });
  const [result = {}] = results;
  for (const secret of [...Object.values(user), "canary", base64("canary"), base64(key)])
    assert(!JSON.stringify(result).includes(secret), secret);
  return result;
}

const server = "https://west.example.com:6443";
const certificateAuthority = base64(`${pem("one")}\n`);
const ca = { "certificate-authority-data": certificateAuthority };

describe("a target's API server, as other clusters reach it", () => {
  const rancher = {
    server: "https://rancher.example.com/k8s/clusters/c-1/",
    "tls-server-name": "kubernetes",
    "proxy-url": "http://me:canary@proxy.example.com",
  };
  const keyed = { "certificate-authority-data": base64(`${key}\n${pem("one")}`) };
  const inFile = { "certificate-authority": "ca.pem" };
  const two = base64(`${pem("one")}\n${pem("two")}\n`);
  const alone = { server: rancher.server.slice(0, -1), tlsServerName: "kubernetes" };
  for (const [name, entry, apiServer, expected] of [
    ["comes from the kubeconfig with its authority", { server, ...ca }, undefined, { server }],
    [
      "comes from apiServer if that is set",
      { server, ...ca },
      "https://a",
      { server: "https://a" },
    ],
    ["keeps its path and TLS name, but no proxy", { ...rancher, ...ca }, undefined, alone],
    [
      "contains no key that stands beside the authority",
      { server, ...keyed },
      undefined,
      { server },
    ],
  ] as const)
    it(name, async () => {
      assert.deepEqual(await read(entry, apiServer), { ...expected, certificateAuthority });
    });

  it("inlines the certificates of a file without the key beside them", async () => {
    assert.deepEqual(await read({ server, ...inFile }), { server, certificateAuthority: two });
  });

  it("needs no authority if the kubeconfig has none", async () => {
    assert.deepEqual(await read({ server }), { server });
  });

  const skip = { "insecure-skip-tls-verify": true };
  const none = { "certificate-authority-data": base64(key) };
  const missing = { "certificate-authority": "missing.pem" };
  for (const [name, entry, sentence] of [
    [
      "without verification",
      { server, ...skip },
      /^cluster west: .*insecure-skip-tls-verify and no certificate authority/,
    ],
    ["with plain http", { server: "http://west.example.com", ...skip }, /is plain http/],
    ["if the authority is no certificate", { server, ...none }, /contains no PEM certificate/],
    [
      "if the authority's file can't be read",
      { server, ...missing },
      /missing\.pem can't be read \(ENOENT\)/,
    ],
  ] as const)
    it(`is refused ${name}`, async () => {
      assert.match((await read(entry)).refused ?? "", sentence);
    });

  for (const host of ["127.0.0.1:6443", "localhost:6443", "[::1]:6443", "0.0.0.0:1"])
    it(`is refused at ${host} unless apiServer is set`, async () => {
      const own = { server: `https://${host}`, ...ca };
      assert.match(
        (await read(own)).refused ?? "",
        /is local to this machine, so other clusters can't reach it; set clusters\.west\.apiServer/,
      );
      assert.equal((await read(own, server)).server, server);
    });
});
