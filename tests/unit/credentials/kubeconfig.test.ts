import assert from "node:assert/strict";
import fc from "fast-check";
import { parse } from "yaml";
import { kubeconfigFor } from "../../../engine/credentials/kubeconfig.ts";

const parts = {
  server: "https://west.example.com:6443",
  certificateAuthority: "Q0E=",
  tlsServerName: "kubernetes",
  token: "the-token",
  cluster: "west",
  user: "linkerd-multicluster-access-east",
};

describe("a link's kubeconfig", () => {
  it("holds the token and the certificate authority and nothing else", () => {
    assert.deepEqual(parse(kubeconfigFor(parts)), {
      apiVersion: "v1",
      kind: "Config",
      clusters: [
        {
          name: "west",
          cluster: {
            server: parts.server,
            "certificate-authority-data": "Q0E=",
            "tls-server-name": "kubernetes",
          },
        },
      ],
      users: [{ name: parts.user, user: { token: "the-token" } }],
      contexts: [{ name: "west", context: { cluster: "west", user: parts.user } }],
      "current-context": "west",
    });
  });

  it("leaves out an authority and a server name that there are not", () => {
    const { certificateAuthority, tlsServerName, ...rest } = parts;
    const { clusters } = parse(kubeconfigFor(rest)) as { clusters: unknown };
    assert.deepEqual(clusters, [{ name: "west", cluster: { server: parts.server } }]);
  });

  it("is the same text for the same parts", () => {
    const { server, token, ...rest } = parts;
    assert.equal(kubeconfigFor({ token, ...rest, server }), kubeconfigFor(parts));
  });

  it("is read as it is meant by parsers of YAML 1.1, as Go's is", () => {
    for (const name of ["on", "no", "1e3", "0x10", "null", "~", "12:30", "2026-01-01"]) {
      const text = kubeconfigFor({ ...parts, cluster: name, token: name });
      const config = parse(text, { version: "1.1" }) as Record<string, unknown>;
      assert.equal(config["current-context"], name);
      assert.deepEqual(config.users, [{ name: parts.user, user: { token: name } }]);
    }
  });

  it("has a long token in one piece", () => {
    const token = "a b ".repeat(500);
    assert.equal(
      kubeconfigFor({ ...parts, token })
        .split("\n")
        .filter((line) => line.includes("a b")).length,
      1,
    );
  });

  it("says no more than its parts, whatever they hold", () => {
    const unit = fc.constantFrom(
      ...Array.from("aZ0.- :#'\"\\[]{},&*!|>%@`~?=\n\r\t\0\x7f\x85\u2028\ufeffé😀"),
    );
    const text = fc.string({ unit });
    const server = fc
      .string({ unit: fc.constantFrom(...Array.from("az09.-:/")) })
      .map((at) => `https://${at}`);
    const texts = fc.record({ server, token: text, cluster: text, user: text });
    fc.assert(
      fc.property(texts, (random) => {
        const { clusters, users, contexts } = parse(kubeconfigFor(random)) as {
          clusters: { name: string; cluster: object }[];
          users: object[];
          contexts: object[];
        };
        const { server, token, cluster, user } = random;
        assert.deepEqual(clusters, [{ name: cluster, cluster: { server } }]);
        assert.deepEqual(users, [{ name: user, user: { token } }]);
        assert.deepEqual(contexts, [{ name: cluster, context: { cluster, user } }]);
      }),
    );
  });
});
