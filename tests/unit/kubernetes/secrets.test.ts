import assert from "node:assert/strict";
import { inspect } from "node:util";
import { dispatcherFor } from "../../../engine/kubernetes/client/dispatcher.ts";
import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import { encodings } from "./quoted-secrets.ts";
import { errorOf, type Reply, status, withCluster } from "./scripted-cluster.ts";

const key = Buffer.from("canary-key").toString("base64");
const login = Buffer.from("me:canary-password").toString("base64");
const all = new RegExp(["canary", key, login].join("|"));

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
    { token: "canary-token" },
    { username: "me", password: "canary-password" },
    plugin("console.log('canary {'); process.exit(0)"),
    { token: "canary-token", "client-certificate-data": "", "client-key-data": key },
  ];
  const echo =
    (code: number): ((request: { headers: object }) => Reply) =>
    ({ headers }) =>
      status(code, "Odd", `you sent ${JSON.stringify(headers)}`);
  const faults: readonly (readonly [string, (request: { headers: object }) => Reply])[] = [
    ["a Status that echoes the request", echo(400)],
    ["a 401 that echoes the request", echo(401)],
    ["an error page", ({ headers }) => ({ status: 502, body: JSON.stringify(headers) })],
    ["an answer that is not JSON", ({ headers }) => ({ body: `<p>${JSON.stringify(headers)}` })],
    ["a lost connection", () => "reset"],
  ];

  for (const [fault, reply] of faults)
    it(`with ${fault}`, async () => {
      for (const user of users)
        await withCluster(
          reply,
          async ({ client }) => {
            const error = await errorOf(client.list(resources.services));
            assert.doesNotMatch(shown(error), all);
            assert.equal(error.cause, undefined);
            assert.doesNotMatch(shown(client), all);
          },
          { user },
        );
    });

  const canary = "canary/token+1=of_west";
  for (const [form, encode] of encodings)
    it(`nor a header or token ${form} that a server quotes`, () =>
      withCluster(
        ({ headers: { authorization = "" } }) => {
          const [header = "", token = ""] = [authorization, authorization.slice(7)].map(encode);
          return status(404, token, `${header} and ${token}`, { name: header });
        },
        async ({ client }) => {
          const error = await errorOf(client.list(resources.services));
          const { message, reason, detail, absent } = error;
          for (const text of [message, reason, detail, absent])
            assert.match(text ?? "", /\[not shown, as it quotes a credential\]/);
          const alone = encode(canary).slice(4, 14);
          for (const part of [alone, "/token"]) assert.ok(!shown(error).includes(part));
        },
        { user: { token: canary } },
      ));

  it("nor a proxy's password that what answers has been sent", () =>
    withCluster(
      () => status(400, "Odd", `you sent ${login}.`),
      async ({ client }) => {
        const { detail } = await errorOf(client.list(resources.services));
        assert.equal(detail, "[not shown, as it quotes a credential]");
      },
      {
        clusterEntry: { "proxy-url": "http://me:canary-password@127.0.0.1:1" },
        dispatcher: (route) => dispatcherFor({ ...route, proxy: undefined }),
      },
    ));

  it("nor a password in the proxy's address", () =>
    withCluster(
      () => "reset",
      async ({ client }) => {
        assert.doesNotMatch(shown(await errorOf(client.list(resources.services))), all);
      },
      { clusterEntry: { "proxy-url": "http://me:canary@127.0.0.1:1" } },
    ));

  it("nor what a server says of a secret object", () =>
    withCluster(
      () => status(422, "Invalid", 'Secret is invalid: data[key]: Invalid value: "canary"'),
      async ({ client }) => {
        const metadata = { namespace: "shop", name: "cart" };
        const error = await errorOf(client.create(resources.secrets, { metadata }));
        assert.equal(error.reason, "Invalid");
        assert.doesNotMatch(shown(error), all);
      },
    ));
});
