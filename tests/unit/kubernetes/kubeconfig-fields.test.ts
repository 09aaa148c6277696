import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import {
  authenticatorOf,
  CredentialsMissing,
} from "../../../engine/kubernetes/kubeconfig/authentication.ts";
import {
  KubeconfigError,
  readKubeconfig,
} from "../../../engine/kubernetes/kubeconfig/kubeconfig.ts";
import { withFolder, writeKubeconfig } from "./scripted-cluster.ts";

type Entry = Readonly<Record<string, unknown>>;

const base64 = (text: string) => Buffer.from(text).toString("base64");
const server = "https://west.example.com";
const v1 = "client.authentication.k8s.io/v1";
const exec = { apiVersion: v1, command: "canary-plugin", interactiveMode: "Never" };

/** Files beside the kubeconfig. */
const files = { ca: "canary-ca", cert: "c", key: "k", token: "file-token\n", empty: "\n" };

/** What a context with these entries is shown with, or the sentence that refuses it. */
async function authenticate(entries: { cluster?: Entry; user?: Entry }): Promise<unknown> {
  const found: unknown[] = [];
  await withFolder(async (folder) => {
    for (const [name, text] of Object.entries(files))
      await writeFile(path.join(folder, name), text);
    const kubeconfig = await writeKubeconfig(path.join(folder, "config"), "west", {
      cluster: { server, ...entries.cluster },
      user: entries.user ?? {},
    });
    try {
      const config = await readKubeconfig({ context: "west", kubeconfig }, "west");
      const authenticate = authenticatorOf(config, { variables: {}, pluginTimeout: 1000 });
      const { headers, tls } = await authenticate();
      const plain = Object.entries(tls).map(
        ([name, value]) => [name, Buffer.isBuffer(value) ? value.toString() : value] as const,
      );
      found.push({ ...headers, ...Object.fromEntries(plain) });
    } catch (error) {
      assert(error instanceof KubeconfigError || error instanceof CredentialsMissing);
      found.push(error.message.replaceAll(`${folder}/`, ""));
    }
  });
  return found[0];
}

const basic = (login: string) => ({ authorization: `Basic ${base64(login)}` });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe("a field of a kubeconfig", () => {
  const pair = { "client-certificate": "cert", "client-key": "key" };
  const ofUser: readonly (readonly [Entry, Entry])[] = [
    [{ token: "", username: null, exec: null, "token-file": "token" }, {}],
    [{ token: "a" }, bearer("a")],
    [{ tokenFile: "token" }, bearer("file-token")],
    [{ token: "a", tokenFile: "token" }, bearer("file-token")],
    [{ token: "a", tokenFile: "none" }, bearer("a")],
    [{ username: "me", password: "pw" }, basic("me:pw")],
    [pair, { cert: "c", key: "k" }],
    [
      { "client-certificate-data": base64("c"), "client-key-data": base64("k") },
      { cert: "c", key: "k" },
    ],
    [{ "client-key": "key" }, {}],
    [
      {
        ...{ as: "zoë", "as-uid": "7", "as-groups": ["a", "b"] },
        "as-user-extra": { "Acme.com/Project": ["x", "y"], none: [] },
      },
      {
        "impersonate-user": Buffer.from("zoë").toString("latin1"),
        "impersonate-uid": "7",
        "impersonate-group": ["a", "b"],
        "impersonate-extra-acme.com%2fproject": ["x", "y"],
      },
    ],
    // A plugin does not run beside another way to log in.
    [{ token: "a", exec }, bearer("a")],
    [
      { ...pair, exec },
      { cert: "c", key: "k" },
    ],
    [{ username: "me", exec }, basic("me:")],
  ];
  const ofCluster: readonly (readonly [Entry, Entry])[] = [
    [{ extra: 1, "disable-compression": true }, {}],
    [{ "certificate-authority": "ca" }, { ca: "canary-ca" }],
    [{ "certificate-authority-data": base64("ca") }, { ca: "ca" }],
    [{ "insecure-skip-tls-verify": true }, { rejectUnauthorized: false }],
    [{ "tls-server-name": "west" }, { servername: "west" }],
  ];
  for (const [kind, table] of Object.entries({ user: ofUser, cluster: ofCluster }))
    for (const [entry, expected] of table)
      it(`is honoured of a ${kind}: ${Object.keys(entry).join(", ")}`, async () => {
        // Always said, so that no variable can switch it off.
        const all = { rejectUnauthorized: true, ...expected };
        assert.deepEqual(await authenticate({ [kind]: entry }), all);
      });

  const both = "are both there; keep one of them";
  const data = "Y2FuYXJ5";
  const mode = "exec.interactiveMode";
  const provider = (name: string) => ({ "auth-provider": { name, config: { token: "canary" } } });
  const refusedOfUser: readonly (readonly [Entry, string])[] = [
    [
      { token: "canary", password: "canary" },
      "token and username are two ways to log in; keep one of them",
    ],
    [{ token: 12345 }, "token is not text; put it in quotes"],
    [{ "client-certificate": "cert" }, "client-certificate has no client-key"],
    [
      { ...pair, "client-certificate-data": data },
      `client-certificate-data and client-certificate ${both}`,
    ],
    [{ ...pair, "client-key-data": data }, `client-key-data and client-key ${both}`],
    [{ "client-key-data": "canary!" }, "client-key-data is not base64"],
    [
      { "as-groups": ["canary"] },
      "as-uid, as-groups and as-user-extra need the name of a user in as",
    ],
    [{ as: "me", "as-groups": "canary" }, "as-groups is not a list"],
    [{ as: "me", "as-user-extra": ["canary"] }, "as-user-extra is not a map"],
    [
      provider("oidc"),
      "auth-provider oidc is not supported; use kubelogin (kubectl oidc-login), a credential plugin (exec)",
    ],
    [
      provider("gcp"),
      "auth-provider gcp is not supported; use gke-gcloud-auth-plugin, a credential plugin (exec)",
    ],
    [provider("canary"), "auth-provider is not supported; use a credential plugin (exec)"],
    [{ exec: { ...exec, command: "" } }, "exec has no command"],
    [
      { exec: { ...exec, apiVersion: "v1alpha1" } },
      `exec.apiVersion must be ${v1} or ${v1}beta1; update the plugin, and write its entry anew`,
    ],
    [
      { exec: { ...exec, interactiveMode: "Always" } },
      `${mode} Always needs a terminal, which a deployment does not have; use a plugin that can do without`,
    ],
    [{ exec: { apiVersion: v1, command: "x" } }, `${mode} must be Never or IfAvailable`],
    [{ exec: { ...exec, interactiveMode: "canary" } }, `${mode} must be Never or IfAvailable`],
    [{ exec: { ...exec, env: [{ value: "canary" }] } }, "exec.env has an entry without a name"],
    [{ exec: { ...exec, args: [1] } }, "exec.args[] is not text; put it in quotes"],
  ];
  const refusedOfCluster: readonly (readonly [Entry, string])[] = [
    [
      { "certificate-authority": "ca", "certificate-authority-data": data },
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
  for (const [kind, table] of Object.entries({ user: refusedOfUser, cluster: refusedOfCluster }))
    for (const [entry, why] of table)
      it(`is refused by its name: ${why}`, async () => {
        assert.equal(
          await authenticate({ [kind]: entry }),
          `cluster west: context west refers to ${kind} west-${kind} in config, which can't be used: ${why}`,
        );
      });

  const where = "cluster west: the server of context west in config";
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
      { cluster: { server: "https://me:canary@a" } },
      `${where} has a user name or password in its URL; move them to username and password of the context's user`,
    ],
    [
      { cluster: { server: "http://a" } },
      `${where} is plain http, which sends credentials in clear text; use https, or set insecure-skip-tls-verify: true if that is intended`,
    ],
    [{ cluster: { server: "canary:6443" } }, `${where} is not an https URL`],
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

  it("names the paths of files and of a plugin relative to the kubeconfig, but no name on PATH", () =>
    withFolder(async (folder) => {
      const kubeconfig = await writeKubeconfig(path.join(folder, "config"), "west", {
        cluster: { server, "certificate-authority": "sub/ca" },
        user: {
          ...{ tokenFile: "../token", "client-certificate": "cert", "client-key": "/key" },
          exec: { ...exec, command: "./bin/plugin" },
        },
      });
      const { cluster, user } = await readKubeconfig({ context: "west", kubeconfig }, "west");
      assert.deepEqual(
        [cluster.caFile, user.tokenFile, user.certFile, user.plugin?.command].map((file = "") =>
          path.relative(folder, file),
        ),
        ["sub/ca", "../token", "cert", "bin/plugin"],
      );
      assert.equal(user.keyFile, "/key");
      await writeKubeconfig(kubeconfig, "west", { cluster: { server }, user: { exec } });
      const again = await readKubeconfig({ context: "west", kubeconfig }, "west");
      assert.equal(again.user.plugin?.command, "canary-plugin");
    }));
});
