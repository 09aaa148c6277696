import { deepEqual, equal, ok } from "node:assert/strict";
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
import { forEachTest, writeKubeconfig } from "./scripted-cluster.ts";

type Entry = Readonly<Record<string, unknown>>;

const base64 = (text: string) => Buffer.from(text).toString("base64");
const server = "https://west.example.com";
const v1 = "client.authentication.k8s.io/v1";
const exec = { apiVersion: v1, command: "canary-plugin" };

/** These files lie beside the kubeconfig. */
const files = { ca: "canary-ca", cert: "c", key: "k", token: "file-token\n", empty: "\n" };

const basic = (login: string) => ({ authorization: `Basic ${base64(login)}` });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe("a field of a kubeconfig", () => {
  const { folder } = forEachTest();

  const read = async (entries: { cluster?: Entry; user?: Entry }) => {
    const home = await folder();
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(home, name), text);
    const kubeconfig = await writeKubeconfig(path.join(home, "config"), "west", {
      cluster: { server, ...entries.cluster },
      user: entries.user ?? {},
    });
    return { home, config: readKubeconfig({ context: "west", kubeconfig }, "west") };
  };

  /** Returns the headers and TLS settings of a context with these entries, or the sentence that refuses it. */
  const authenticate = async (entries: { cluster?: Entry; user?: Entry }): Promise<unknown> => {
    const { home, config } = await read(entries);
    try {
      const authenticator = authenticatorOf(await config, { variables: {}, limit: 1000 });
      const { headers, tls } = await authenticator();
      const values = Object.entries(tls).map(([name, value]: [string, unknown]) => {
        return [name, Buffer.isBuffer(value) ? value.toString() : value];
      });
      return { ...headers, ...(Object.fromEntries(values) as Entry) };
    } catch (error) {
      ok(error instanceof KubeconfigError || error instanceof CredentialsMissing);
      return error.message.replaceAll(`${home}/`, "");
    }
  };

  const pair = { "client-certificate": "cert", "client-key": "key" };
  const both = { cert: "c", key: "k" };
  const impersonated = {
    as: "zoe",
    "as-uid": "7",
    "as-groups": ["a", "b"],
    "as-user-extra": { "Acme.com/Project": ["x", "y"], none: [] },
  };
  const ofUser: readonly (readonly [Entry, Entry])[] = [
    [{ token: "", username: null, exec: null, "token-file": "token" }, {}],
    [{ token: "a" }, bearer("a")],
    [{ tokenFile: "token" }, bearer("file-token")],
    [{ token: "a", tokenFile: "token" }, bearer("file-token")],
    [{ token: "a", tokenFile: "none" }, bearer("a")],
    [{ username: "me", password: "pw" }, basic("me:pw")],
    [pair, both],
    [{ "client-certificate-data": base64("c"), "client-key-data": base64("k") }, both],
    [{ "client-key": "key" }, {}],
    [
      { ...pair, "client-key-data": base64("own") },
      { ...both, key: "own" },
    ],
    [
      impersonated,
      {
        "impersonate-user": "zoe",
        "impersonate-uid": "7",
        "impersonate-group": ["a", "b"],
        "impersonate-extra-acme.com%2fproject": ["x", "y"],
      },
    ],
    // A plugin does not run beside another way to log in.
    [{ token: "a", exec }, bearer("a")],
    [{ ...pair, exec }, both],
    [{ username: "me", exec }, basic("me:")],
  ];
  const ofCluster: readonly (readonly [Entry, Entry])[] = [
    [{ extra: 1, tokenFile: 7, "disable-compression": true }, {}],
    [{ "certificate-authority": "ca" }, { ca: "canary-ca" }],
    [{ "certificate-authority-data": base64("ca") }, { ca: "ca" }],
    [{ "insecure-skip-tls-verify": true }, { rejectUnauthorized: false }],
    [{ "tls-server-name": "west" }, { servername: "west" }],
  ];
  for (const [kind, table] of Object.entries({ user: ofUser, cluster: ofCluster }))
    for (const [entry, expected] of table)
      it(`of a ${kind} is used: ${Object.keys(entry).join(", ")}`, async () => {
        // It is always set, so that no variable can switch it off.
        const all = { rejectUnauthorized: true, ...expected };
        deepEqual(await authenticate({ [kind]: entry }), all);
      });

  const provider = (name: string) => ({ "auth-provider": { name, config: { token: "canary" } } });
  const refusedOfUser: Readonly<Record<string, Entry>> = {
    "token is not text; put it in quotes": { token: 12345 },
    "as-uid, as-groups and as-user-extra need the name of a user in as": { "as-uid": "canary" },
    "as-groups is not a list": { as: "me", "as-groups": "canary" },
    "as-user-extra is not a map": { as: "me", "as-user-extra": ["canary"] },
    "auth-provider oidc is not supported; use kubelogin (kubectl oidc-login), a credential plugin (exec)":
      provider("oidc"),
    "auth-provider gcp is not supported; use gke-gcloud-auth-plugin, a credential plugin (exec)":
      provider("gcp"),
    "auth-provider is not supported; use a credential plugin (exec)": provider("canary"),
    "exec has no command": { exec: { ...exec, command: "" } },
    [`exec.apiVersion must be ${v1} or ${v1}beta1; update the plugin, and write its entry again`]: {
      exec: { ...exec, apiVersion: "v1alpha1" },
    },
    "exec.args[] is not text; put it in quotes": { exec: { ...exec, args: [1] } },
  };
  const skipping = { "insecure-skip-tls-verify": true, "certificate-authority": "ca" };
  const refusedOfCluster: Readonly<Record<string, Entry>> = {
    "insecure-skip-tls-verify contradicts its certificate-authority; keep one of the two": skipping,
    "insecure-skip-tls-verify is neither true nor false": { "insecure-skip-tls-verify": "canary" },
  };
  const refusal = (kind: string, why: string) =>
    `cluster west: context west refers to ${kind} west-${kind} in config, which can't be used: ${why}`;
  for (const [kind, table] of Object.entries({ user: refusedOfUser, cluster: refusedOfCluster }))
    for (const [why, entry] of Object.entries(table))
      it(`is refused by name: ${why}`, async () => {
        equal(await authenticate({ [kind]: entry }), refusal(kind, why));
      });

  const ofServer = "cluster west: the server of context west in config";
  const missing = "names can't be read (ENOENT)";
  const lines = "canary\ncanary";
  const encrypted =
    "its client-key is encrypted, and no run can ask for the passphrase: use a key that isn't, a token or an exec plugin";
  const unusable: Readonly<Record<string, { cluster?: Entry; user?: Entry }>> = {
    [`the file that certificate-authority ${missing}`]: {
      cluster: { "certificate-authority": "none" },
    },
    [`the file that tokenFile ${missing}`]: { user: { tokenFile: "none" } },
    "the file that tokenFile names is empty": { user: { tokenFile: "empty" } },
    "the token is not one line of printable characters without blanks": { user: { token: lines } },
    "as, as-uid, as-groups and as-user-extra must be printable ASCII": { user: { as: "zoë" } },
    [`${ofServer} has a user name or password in its URL; move them to username and password of the context's user`]:
      { cluster: { server: "https://me:canary@a" } },
    [`${ofServer} is plain http, which sends credentials in clear text; use https, or set insecure-skip-tls-verify: true if that is intended`]:
      { cluster: { server: "http://a" } },
    [`${ofServer} is not an https URL`]: { cluster: { server: "canary:6443" } },
  };
  for (const head of [
    "-----BEGIN ENCRYPTED PRIVATE KEY-----\n",
    "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n",
  ])
    it(`is reported if its key is encrypted: ${head.trim()}`, async () => {
      const key = { "client-key-data": base64(`${head}canary`) };
      equal(await authenticate({ user: { ...pair, ...key } }), encrypted);
    });

  for (const [why, entries] of Object.entries(unusable))
    it(`is reported without its value if it can't be used: ${why}`, async () => {
      equal(await authenticate(entries), why);
    });

  it("is parsed as YAML 1.1, as kubectl does, where yes is true", async () => {
    const kubeconfig = path.join(await folder(), "config");
    await writeFile(
      kubeconfig,
      `{clusters: [{name: a, cluster: {server: "https://a", insecure-skip-tls-verify: yes}}],
        contexts: [{name: a, context: {cluster: a}}]}`,
    );
    const { cluster } = await readKubeconfig({ context: "a", kubeconfig }, "west");
    equal(cluster["insecure-skip-tls-verify"], true);
  });

  it("may be a path relative to the kubeconfig, unless it is the name of a plugin on PATH", async () => {
    const { home, config } = await read({
      cluster: { "certificate-authority": "sub/ca" },
      user: {
        tokenFile: "../token",
        "client-certificate": "cert",
        "client-key": "/key",
        exec: { ...exec, command: "./bin/plugin" },
      },
    });
    const { cluster, user } = await config;
    const certificates = [cluster["certificate-authority"], user["client-certificate"]];
    const paths = [...certificates, user.tokenFile, user.exec?.command];
    deepEqual(
      paths.map((file = "") => path.relative(home, file)),
      ["sub/ca", "cert", "../token", "bin/plugin"],
    );
    equal(user["client-key"], "/key");
    const onPath = await (await read({ user: { exec } })).config;
    equal(onPath.user.exec?.command, "canary-plugin");
  });
});
