import { deepEqual, fail, ok } from "node:assert/strict";
import { stringify } from "yaml";
import { credentialsIn, kubeconfigFor } from "../../../engine/credentials/kubeconfig.ts";

const parts = {
  server: "https://west.example.com:6443",
  certificateAuthority: "Q0E=",
  tlsServerName: "west",
  token: "canary",
};

function kubeconfig(cluster: object, user: object = { token: "canary" }): string {
  return stringify({
    "current-context": "c",
    contexts: [{ name: "c", context: { cluster: "k", user: "u" } }],
    clusters: [{ name: "k", cluster: { server: parts.server, ...cluster } }],
    users: [{ name: "u", user }],
  });
}

describe("a kubeconfig found in a cluster", () => {
  it("is taken as this program writes it, and as Linkerd does", () => {
    deepEqual(credentialsIn(kubeconfigFor({ ...parts, cluster: "west", user: "account" })), parts);
    deepEqual(credentialsIn(kubeconfig({})), { server: parts.server, token: "canary" });
  });

  const unusable: readonly (readonly [string, string, string])[] = [
    ["is empty", "", "current context"],
    ["is no YAML", "{canary", "current context"],
    ["names a context it lacks", "current-context: c", "current context"],
    ["has no server", kubeconfig({ server: "" }), "a server"],
    ["would show the token", kubeconfig({ server: "http://west.example.com" }), "token secret"],
    ["trusts anyone", kubeconfig({ "insecure-skip-tls-verify": true }), "token secret"],
    ["runs a program", kubeconfig({}, { exec: { command: "canary" } }), "has a token"],
    ["reads a token file", kubeconfig({}, { tokenFile: "/canary" }), "has a token"],
    ["reads a file", kubeconfig({ "certificate-authority": "/canary" }), "authority-data"],
  ];
  for (const [title, text, rule] of unusable)
    it(`is not to be used if it ${title}, and is not repeated`, () => {
      const found = credentialsIn(text);
      if (typeof found !== "string") fail("it was taken");
      ok(found.includes(rule), found);
      ok(!found.includes("canary"), found);
    });
});
