import assert from "node:assert/strict";
import { inspect } from "node:util";
import { dispatcherFor } from "../../../engine/kubernetes/dispatcher.ts";
import { type Resource, resources } from "../../../engine/kubernetes/resources.ts";
import { encodings } from "./quoted-secrets.ts";
import { errorOf, type Reply, service, status, withCluster } from "./scripted-cluster.ts";

const canaries = {
  token: "canary-token",
  password: "canary-password",
  key: Buffer.from("canary-key").toString("base64"),
};

const all = new RegExp(
  [...Object.values(canaries), "canary", Buffer.from("me:canary-password").toString("base64")].join(
    "|",
  ),
);

const secrets: Resource<ReturnType<typeof service>> = {
  apiVersion: "v1",
  kind: "Secret",
  path: "api/v1",
  plural: "secrets",
  namespaced: true,
  sensitive: true,
};

/** A user whose credential plugin is a script, and whose own settings are secret as well. */
const plugin = (script: string) => ({
  exec: {
    apiVersion: "client.authentication.k8s.io/v1",
    interactiveMode: "Never",
    command: process.execPath,
    args: ["-e", script, "canary-argument"],
    env: [{ name: "SECRET", value: "canary-variable" }],
  },
});

/** Everything that a log or a crash report could show of a value. */
const shown = (value: unknown) =>
  inspect(value, { depth: Infinity, showHidden: true }) + String(value) + JSON.stringify(value);

describe("no credential is ever shown", () => {
  const users = [
    { token: canaries.token },
    { username: "me", password: canaries.password },
    plugin("console.log('canary {'); process.exit(0)"),
    plugin("console.error('canary'); process.exit(1)"),
    { token: canaries.token, "client-certificate-data": "", "client-key-data": canaries.key },
  ];
  const echo =
    (code: number): ((request: { headers: object }) => Reply) =>
    ({ headers }) =>
      status(code, "Odd", `you sent ${JSON.stringify(headers)}`);
  const faults: readonly (readonly [string, (request: { headers: object }) => Reply])[] = [
    ["a Status that echoes the request", echo(400)],
    ["a 401 that echoes the request", echo(401)],
    ["a 500 that echoes the request", echo(500)],
    ["an error page", ({ headers }) => ({ status: 502, body: JSON.stringify(headers) })],
    ["an answer that is not JSON", ({ headers }) => ({ body: `<p>${JSON.stringify(headers)}` })],
    ["a lost connection", () => "reset"],
  ];

  for (const [index, user] of users.entries()) {
    for (const [fault, reply] of faults) {
      it(`with user ${index} and ${fault}`, () =>
        withCluster(
          reply,
          async ({ client }) => {
            const error = await errorOf(client.list(resources.services));
            assert.doesNotMatch(shown(error), all);
            assert.equal(error.cause, undefined);
            assert.doesNotMatch(shown(client), all);
          },
          { user },
        ));
    }
  }

  const canary = "canary/token+1=of_west";
  for (const [form, encode] of encodings)
    it(`nor a header or token ${form} that a server quotes`, () =>
      withCluster(
        ({ headers: { authorization = "" } }) => {
          const quotes = [authorization, authorization.slice(7)].map(encode);
          return status(404, quotes[1] ?? "", quotes.join(" and "), {
            name: quotes[0],
            causes: [{ reason: quotes[1] }],
          });
        },
        async ({ client }) => {
          const error = await errorOf(client.list(resources.services));
          const { message, reason, detail, causes, absent } = error;
          for (const text of [message, reason, detail, absent, ...causes])
            assert.match(text ?? "", /\[secret\]/);
          const alone = encode(canary).slice(4, 14);
          for (const part of [alone, "/token"]) assert.ok(!shown(error).includes(part));
        },
        { user: { token: canary } },
      ));

  it("nor the rest of one that is cut because the message is long", () =>
    withCluster(
      ({ headers: { authorization = "" } }) =>
        status(400, "Odd", `${"x".repeat(1_988)} ${authorization}`),
      async ({ client }) => {
        assert.doesNotMatch(shown(await errorOf(client.list(resources.services))), /cana/);
      },
      { user: { token: canary } },
    ));

  it("nor a proxy's password that what answers has been sent", () =>
    withCluster(
      () => status(400, "Odd", `you sent ${Buffer.from("me:canary-password").toString("base64")}.`),
      async ({ client }) => {
        const error = await errorOf(client.list(resources.services));
        assert.equal(error.detail, "you sent [secret].");
      },
      {
        clusterEntry: { "proxy-url": "http://me:canary-password@127.0.0.1:1" },
        dispatcher: (route) => dispatcherFor({ ...route, proxy: undefined }),
      },
    ));

  it("nor what a server says of a secret object", () =>
    withCluster(
      () => status(422, "Invalid", 'Secret is invalid: data[key]: Invalid value: "canary"'),
      async ({ client }) => {
        const error = await errorOf(client.create(secrets, service("cart")));
        assert.equal(error.reason, "Invalid");
        assert.doesNotMatch(shown(error), all);
      },
    ));

  it("nor a password in the proxy's address", () =>
    withCluster(
      () => "reset",
      async ({ client }) => {
        assert.doesNotMatch(shown(await errorOf(client.list(resources.services))), all);
      },
      {
        clusterEntry: {
          server: "https://127.0.0.1:1",
          "insecure-skip-tls-verify": true,
          "proxy-url": "http://me:canary@127.0.0.1:1",
        },
      },
    ));
});
