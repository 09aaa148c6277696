import assert from "node:assert/strict";
import fc from "fast-check";
import { parse, stringify } from "yaml";
import { credentialsIn, kubeconfigFor } from "../../../engine/credentials/kubeconfig.ts";

const server = "https://west.example.com:6443";
const ca = { certificateAuthority: "Q0E=", tlsServerName: "kubernetes" };
const names = { cluster: "west", user: "linkerd-multicluster-access-east" };
const parts = { server, ...ca, token: "canary", ...names };

describe("a link's kubeconfig", () => {
  it("contains only the address, the token and the certificate authority, in a fixed order", () => {
    const { user } = names;
    const { token, ...rest } = parts;
    assert.equal(kubeconfigFor({ token, ...rest }), kubeconfigFor(parts));
    assert.deepEqual(parse(kubeconfigFor(parts)), {
      apiVersion: "v1",
      kind: "Config",
      clusters: [
        {
          name: "west",
          cluster: {
            server,
            "certificate-authority-data": "Q0E=",
            "tls-server-name": "kubernetes",
          },
        },
      ],
      users: [{ name: user, user: { token: "canary" } }],
      contexts: [{ name: "west", context: { cluster: "west", user } }],
      "current-context": "west",
    });
  });

  it("means the same to a YAML 1.1 parser such as Go's", () => {
    for (const name of ["on", "no", "1e3", "0x10", "null", "~", "12:30", "2026-01-01"]) {
      const text = kubeconfigFor({ ...parts, cluster: name, token: name });
      const config = parse(text, { version: "1.1" }) as Record<string, unknown>;
      assert.equal(config["current-context"], name);
      assert.deepEqual(config.users, [{ name: parts.user, user: { token: name } }]);
    }
  });

  it("keeps a long token on one line", () => {
    const lines = kubeconfigFor({ ...parts, token: "a b ".repeat(500) }).split("\n");
    assert.equal(lines.filter((line) => line.includes("a b")).length, 1);
  });

  it("escapes whatever its parts contain", () => {
    const unit = fc.constantFrom(
      ...Array.from("aZ0.- :#'\"\\[]{},&*!|>%@`~?=\n\r\t\0\x7f\x85\u2028\ufeffé😀"),
    );
    const text = fc.string({ unit });
    const address = fc.string({ unit: fc.constantFrom(...Array.from("az09.-:/")) });
    const texts = fc.record({ server: address, token: text, cluster: text, user: text });
    fc.assert(
      fc.property(texts, ({ server, token, cluster, user }) => {
        const config = parse(kubeconfigFor({ server, token, cluster, user })) as object;
        assert.deepEqual(config, {
          apiVersion: "v1",
          kind: "Config",
          "current-context": cluster,
          clusters: [{ name: cluster, cluster: { server } }],
          users: [{ name: user, user: { token } }],
          contexts: [{ name: cluster, context: { cluster, user } }],
        });
      }),
    );
  });
});

describe("a kubeconfig found in a cluster", () => {
  function kubeconfig(cluster: object, user: object = { token: "canary" }): string {
    return stringify({
      "current-context": "c",
      contexts: [{ name: "c", context: { cluster: "k", user: "u" } }],
      clusters: [{ name: "k", cluster: { server, ...cluster } }],
      users: [{ name: "u", user }],
    });
  }

  it("is accepted as written by this program and by Linkerd", () => {
    const value = { server, token: "canary" };
    assert.deepEqual(credentialsIn(kubeconfigFor(parts)), { value: { ...value, ...ca } });
    assert.deepEqual(credentialsIn(kubeconfig({})), { value });
  });

  for (const [title, text, rule] of [
    ["it is empty", "", "current context"],
    ["it isn't YAML", "{canary", "current context"],
    ["its current context is missing", "current-context: c", "current context"],
    ["it has no server", kubeconfig({ server: "" }), "a server"],
    ["its server is plain http", kubeconfig({ server: "http://west.example.com" }), "token secret"],
    ["it skips TLS verification", kubeconfig({ "insecure-skip-tls-verify": true }), "token secret"],
    ["it runs a program", kubeconfig({}, { exec: { command: "canary" } }), "has a token"],
    ["it reads a token file", kubeconfig({}, { tokenFile: "/canary" }), "has a token"],
    [
      "it reads a certificate authority file",
      kubeconfig({ "certificate-authority": "/canary" }),
      "authority-data",
    ],
  ] as const)
    it(`is rejected if ${title}, and never quoted`, () => {
      const found = credentialsIn(text);
      assert("why" in found && found.why.includes(rule), JSON.stringify(found));
      assert(!found.why.includes("canary"), found.why);
    });
});
