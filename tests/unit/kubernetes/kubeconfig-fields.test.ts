import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { Authenticator, CredentialsMissing } from "../../../engine/kubernetes/authentication.ts";
import { KubeconfigError, readKubeconfig } from "../../../engine/kubernetes/kubeconfig.ts";
import { withFolder, writeKubeconfig } from "./scripted-cluster.ts";

type Entry = Readonly<Record<string, unknown>>;

const base64 = (text: string) => Buffer.from(text).toString("base64");
const server = "https://west.example.com";
const token = { token: "canary-token" };
const v1 = "client.authentication.k8s.io/v1";
const exec = { apiVersion: v1, command: "canary-plugin", interactiveMode: "Never" };

/** Files beside the kubeconfig. */
const files = { ca: "canary-ca", cert: "canary-cert", key: "canary-key", token: "file-token\n" };

/** What a context with these entries is shown with, or the sentence that refuses it. */
async function authenticate(entries: { cluster?: Entry; user?: Entry }): Promise<unknown> {
  const found: unknown[] = [];
  await withFolder(async (folder) => {
    for (const [name, text] of Object.entries(files))
      await writeFile(path.join(folder, name), text);
    await writeFile(path.join(folder, "empty"), "\n");
    const kubeconfig = await writeKubeconfig(path.join(folder, "config"), "west", {
      cluster: { server, ...entries.cluster },
      user: entries.user ?? {},
    });
    try {
      const config = await readKubeconfig({ context: "west", kubeconfig }, "west");
      const authenticator = new Authenticator(config, { variables: {}, pluginTimeout: 1000 });
      const { headers, tls } = await authenticator.authenticate();
      found.push({
        ...headers,
        ...Object.fromEntries(
          Object.entries(tls).map(([name, value]) => [
            name,
            Buffer.isBuffer(value) ? value.toString() : value,
          ]),
        ),
      });
    } catch (error) {
      assert(error instanceof KubeconfigError || error instanceof CredentialsMissing);
      found.push(error.message.replaceAll(`${folder}/`, ""));
    }
  });
  return found[0];
}

describe("a field of a kubeconfig", () => {
  // With certificates verified, to be read as in addition to each.
  const verified = { rejectUnauthorized: true };
  const honoured: readonly (readonly [string, { cluster?: Entry; user?: Entry }, Entry])[] = [
    ["none", {}, {}],
    ["empty and null ones", { user: { token: "", username: null, exec: null } }, {}],
    ["unknown ones", { cluster: { extra: 1 }, user: { "token-file": "token" } }, {}],
    ["certificate-authority", { cluster: { "certificate-authority": "ca" } }, { ca: "canary-ca" }],
    [
      "certificate-authority-data",
      { cluster: { "certificate-authority-data": base64("canary-ca") } },
      { ca: "canary-ca" },
    ],
    [
      "insecure-skip-tls-verify",
      { cluster: { "insecure-skip-tls-verify": true } },
      { rejectUnauthorized: false },
    ],
    ["tls-server-name", { cluster: { "tls-server-name": "west" } }, { servername: "west" }],
    ["disable-compression", { cluster: { "disable-compression": true } }, {}],
    ["token", { user: { token: "a" } }, { authorization: "Bearer a" }],
    ["tokenFile", { user: { tokenFile: "token" } }, { authorization: "Bearer file-token" }],
    [
      "tokenFile before token",
      { user: { token: "a", tokenFile: "token" } },
      { authorization: "Bearer file-token" },
    ],
    [
      "token for want of tokenFile",
      { user: { token: "a", tokenFile: "none" } },
      { authorization: "Bearer a" },
    ],
    [
      "username and password",
      { user: { username: "me", password: "pw" } },
      { authorization: `Basic ${base64("me:pw")}` },
    ],
    [
      "client-certificate and client-key",
      { user: { "client-certificate": "cert", "client-key": "key" } },
      { cert: "canary-cert", key: "canary-key" },
    ],
    [
      "client-certificate-data and client-key-data",
      { user: { "client-certificate-data": base64("c"), "client-key-data": base64("k") } },
      { cert: "c", key: "k" },
    ],
    ["client-key alone", { user: { "client-key": "key" } }, {}],
    [
      "as, as-uid, as-groups, as-user-extra",
      {
        user: {
          as: "jane",
          "as-uid": "7",
          "as-groups": ["a", "b"],
          "as-user-extra": { "Acme.com/Project": ["x", "y"], none: [] },
        },
      },
      {
        "impersonate-user": "jane",
        "impersonate-uid": "7",
        "impersonate-group": ["a", "b"],
        "impersonate-extra-acme.com%2fproject": ["x", "y"],
      },
    ],
    [
      "as in UTF-8",
      { user: { as: "zoë" } },
      { "impersonate-user": Buffer.from("zoë").toString("latin1") },
    ],
    [
      "exec, which does not run beside a token",
      { user: { ...token, exec } },
      { authorization: "Bearer canary-token" },
    ],
    [
      "exec, which does not run beside a certificate",
      { user: { "client-certificate": "cert", "client-key": "key", exec } },
      { cert: "canary-cert", key: "canary-key" },
    ],
    [
      "exec, which does not run beside a password",
      { user: { username: "me", exec } },
      { authorization: `Basic ${base64("me:")}` },
    ],
    [
      "auth-provider oidc, with a token that is valid",
      {
        user: {
          "auth-provider": { name: "oidc", config: { "id-token": jwt({ exp: 9_999_999_999 }) } },
        },
      },
      { authorization: `Bearer ${jwt({ exp: 9_999_999_999 })}` },
    ],
  ];
  for (const [field, entries, expected] of honoured)
    it(`is honoured: ${field}`, async () => {
      assert.deepEqual(await authenticate(entries), { ...verified, ...expected });
    });

  const both = "are both there; keep one of them";
  const oneLogin = "are two ways to log in; keep one of them";
  const removed = "is one that kubectl has no more";
  const refusedOfUser: readonly (readonly [Entry, string])[] = [
    [{ ...token, username: "canary" }, `token and username ${oneLogin}`],
    [{ ...token, password: "canary" }, `token and username ${oneLogin}`],
    [{ token: 12345 }, "token is not text; put it in quotes"],
    [{ "client-certificate": "cert" }, "client-certificate has no client-key"],
    [
      { "client-certificate": "a", "client-certificate-data": "Y2FuYXJ5", "client-key": "key" },
      `client-certificate-data and client-certificate ${both}`,
    ],
    [
      { "client-certificate": "cert", "client-key": "key", "client-key-data": "Y2FuYXJ5" },
      `client-key-data and client-key ${both}`,
    ],
    [{ "client-key-data": "canary!" }, "client-key-data is not base64"],
    [
      { "as-groups": ["canary"] },
      "as-uid, as-groups and as-user-extra need the name of a user in as",
    ],
    [{ as: "me", "as-groups": "canary" }, "as-groups is not a list of texts; put each in quotes"],
    [{ as: "me", "as-user-extra": ["canary"] }, "as-user-extra is not a map"],
    [
      { "auth-provider": { name: "gcp", config: { "access-token": "canary" } } },
      `auth-provider gcp ${removed}; use gke-gcloud-auth-plugin`,
    ],
    [{ "auth-provider": { name: "azure" } }, `auth-provider azure ${removed}; use kubelogin`],
    [
      { "auth-provider": { name: "canary" } },
      `auth-provider ${removed}; use a credential plugin (exec)`,
    ],
    [{ exec, "auth-provider": { name: "oidc" } }, `exec and auth-provider ${oneLogin}`],
    [{ exec: { ...exec, command: "" } }, "exec has no command"],
    [
      { exec: { ...exec, apiVersion: "client.authentication.k8s.io/v1alpha1" } },
      `exec.apiVersion must be ${v1} or ${v1}beta1; update the plugin, and write its entry anew`,
    ],
    [
      { exec: { ...exec, interactiveMode: "Always" } },
      "exec.interactiveMode Always needs a terminal, which a deployment does not have; use a plugin that can do without",
    ],
    [
      { exec: { apiVersion: v1, command: "x" } },
      "exec.interactiveMode must be Never or IfAvailable",
    ],
    [
      { exec: { ...exec, interactiveMode: "canary" } },
      "exec.interactiveMode must be Never or IfAvailable",
    ],
    [{ exec: { ...exec, env: [{ value: "canary" }] } }, "exec.env has an entry without a name"],
    [{ exec: { ...exec, args: [1] } }, "exec.args is not a list of texts; put each in quotes"],
  ];
  for (const [user, why] of refusedOfUser)
    it(`is refused by its name: ${why}`, async () => {
      assert.equal(
        await authenticate({ user }),
        `cluster west: context west refers to user west-user in config, which can't be used: ${why}`,
      );
    });

  const refusedOfCluster: readonly (readonly [Entry, string])[] = [
    [
      { "certificate-authority": "ca", "certificate-authority-data": "Y2FuYXJ5" },
      `certificate-authority-data and certificate-authority ${both}`,
    ],
    [
      { "insecure-skip-tls-verify": true, "certificate-authority": "ca" },
      "insecure-skip-tls-verify contradicts its certificate-authority; keep one of the two",
    ],
    [
      { "insecure-skip-tls-verify": "canary" },
      "insecure-skip-tls-verify is neither true nor false",
    ],
  ];
  for (const [cluster, why] of refusedOfCluster)
    it(`is refused by its name: ${why}`, async () => {
      assert.equal(
        await authenticate({ cluster }),
        `cluster west: context west refers to cluster west-cluster in config, which can't be used: ${why}`,
      );
    });

  const unusable: readonly (readonly [{ cluster?: Entry; user?: Entry }, string])[] = [
    [
      { cluster: { "certificate-authority": "none" } },
      "the file that certificate-authority names can't be read (ENOENT)",
    ],
    [{ user: { tokenFile: "none" } }, "the file that tokenFile names can't be read (ENOENT)"],
    [{ user: { tokenFile: "empty" } }, "the file that tokenFile names is empty"],
    [
      { user: { token: "canary\ncanary" } },
      "the token is not one line of printable characters without blanks",
    ],
    [
      { user: { as: "canary\ncanary" } },
      "as, as-uid, as-groups and as-user-extra may not have line breaks",
    ],
    [
      { cluster: { server: "https://me:canary@west.example.com" } },
      "cluster west: the server of context west in config has a user name or password in its URL; move them to username and password of the context's user",
    ],
    [
      {
        user: { "auth-provider": { name: "oidc", config: { "id-token": jwt({ exp: 1 }) } } },
      },
      "the id-token of auth-provider oidc has expired or is not there, and can't be refreshed; log in again",
    ],
  ];
  for (const [entries, why] of unusable)
    it(`that can't be used is told without its value: ${why}`, async () => {
      assert.equal(await authenticate(entries), why);
    });

  it("is read as kubectl's YAML 1.1, where yes is true", () =>
    withFolder(async (folder) => {
      const file = path.join(folder, "config");
      await writeFile(
        file,
        `{clusters: [{name: a, cluster: {server: "https://a", insecure-skip-tls-verify: yes}}],
          contexts: [{name: a, context: {cluster: a}}]}`,
      );
      const { cluster } = await readKubeconfig({ context: "a", kubeconfig: file }, "west");
      assert.equal(cluster.skipTLSVerify, true);
    }));

  it("is that of an entry which is there once", () =>
    withFolder(async (folder) => {
      const file = path.join(folder, "config");
      const one = { name: "a", cluster: { server } };
      const contexts = [{ name: "a", context: { cluster: "a" } }];
      await writeFile(file, JSON.stringify({ clusters: [one, one], contexts }));
      await assert.rejects(readKubeconfig({ context: "a", kubeconfig: file }, "west"), {
        message: `cluster west: context a refers to cluster a, which is there twice in ${file}; remove or rename one of them`,
      });
    }));

  it("names the paths of files and of a plugin relative to the kubeconfig, but no name on PATH", () =>
    withFolder(async (folder) => {
      const kubeconfig = await writeKubeconfig(path.join(folder, "config"), "west", {
        cluster: { server, "certificate-authority": "sub/ca" },
        user: {
          tokenFile: "../token",
          "client-certificate": "cert",
          "client-key": "/key",
          exec: { ...exec, command: "./bin/plugin" },
        },
      });
      const { cluster, user } = await readKubeconfig({ context: "west", kubeconfig }, "west");
      assert.deepEqual(
        [cluster.caFile, user.tokenFile, user.certFile, user.keyFile, user.plugin?.command],
        [
          path.join(folder, "sub/ca"),
          path.join(folder, "../token"),
          path.join(folder, "cert"),
          "/key",
          path.join(folder, "bin/plugin"),
        ],
      );
      await writeKubeconfig(kubeconfig, "west", { cluster: { server }, user: { exec } });
      const again = await readKubeconfig({ context: "west", kubeconfig }, "west");
      assert.equal(again.user.plugin?.command, "canary-plugin");
    }));

  it("is, in a pod without kubeconfig, that of its service account", async () => {
    const variables = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "6443" };
    const account = "/var/run/secrets/kubernetes.io/serviceaccount";
    const config = await readKubeconfig({ context: "in-cluster" }, "west", {
      variables,
      home: "/nowhere",
    });
    assert.equal(config.cluster.server, "https://[fd00::1]:6443");
    assert.equal(config.cluster.caFile, `${account}/ca.crt`);
    assert.deepEqual(config.user, { tokenFile: `${account}/token` });
  });
});

/** A token with these claims, whose signature nobody looks at. */
function jwt(claims: Entry): string {
  const parts = [{ alg: "none" }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString("base64url"),
  );
  return [...parts, "canary"].join(".");
}
