import { doesNotMatch, equal } from "node:assert/strict";
import { inspect } from "node:util";
import { dispatcherFor } from "../../../engine/kubernetes/client/dispatcher.ts";
import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import { hidden } from "../../../engine/kubernetes/client/redaction.ts";
import { errorOf, forEachTest, listError, type Script, status } from "./scripted-cluster.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");
const [key, login] = [base64("canary-key"), base64("me:canary-password")];
const all = new RegExp(["canary", key, login].join("|"));

/** Everything that a log or a crash report could show of a value. */
const shown = (value: unknown) =>
  inspect(value, { depth: Infinity, showHidden: true }) + String(value) + JSON.stringify(value);

describe("credentials", () => {
  const { open } = forEachTest();
  const users = [
    { token: "canary-token" },
    { username: "me", password: "canary-password" },
    {
      exec: {
        apiVersion: "client.authentication.k8s.io/v1",
        interactiveMode: "Never",
        command: process.execPath,
        args: ["-e", "console.log('canary {'); process.exit(0)", "canary-argument"],
        env: [{ name: "SECRET", value: "canary-variable" }],
      },
    },
    { token: "canary-token", "client-certificate-data": "", "client-key-data": key },
  ];
  const echo =
    (code: number): Script =>
    ({ headers }) =>
      status(code, "Odd", `you sent ${JSON.stringify(headers)}`);
  const faults: Readonly<Record<string, Script>> = {
    "a Status that echoes the request": echo(400),
    "a 401 that echoes the request": echo(401),
    "an error page": ({ headers }) => ({ status: 502, body: JSON.stringify(headers) }),
    "an answer that is not JSON": ({ headers }) => ({ body: `<p>${JSON.stringify(headers)}` }),
    "a lost connection": () => "reset",
  };
  for (const [fault, script] of Object.entries(faults))
    it(`don't appear after ${fault}`, async () => {
      for (const user of users) {
        const lines: string[] = [];
        const log = (line: string) => lines.push(line);
        const { error, client } = await listError(script, { user, log });
        doesNotMatch(shown([error, lines]), all);
        equal(error.cause, undefined);
        doesNotMatch(shown(client), all);
      }
    });

  it("don't appear wherever a server quotes a header or token", async () => {
    const { error } = await listError(
      ({ headers: { authorization = "" } }) =>
        status(404, authorization.slice(7), base64(authorization), { name: authorization }),
      { user: { token: "canary/token+1=of_west" } },
    );
    for (const text of [error.reason, error.detail, error.absent]) equal(text, hidden);
  });

  it("don't appear if a proxy's password is quoted", async () => {
    const { error } = await listError(() => status(400, "Odd", `you sent ${login}.`), {
      clusterEntry: { "proxy-url": "http://me:canary-password@127.0.0.1:1" },
      dispatcher: (route) => dispatcherFor({ ...route, proxy: undefined }),
    });
    equal(error.detail, hidden);
  });

  it("don't appear if the proxy's address has a password", async () => {
    const clusterEntry = { "proxy-url": "http://me:canary@127.0.0.1:1" };
    doesNotMatch(shown((await listError(() => "reset", { clusterEntry })).error), all);
  });

  it("don't appear in a server's message about a secret object", async () => {
    const said = 'Secret is invalid: data[key]: Invalid value: "canary"';
    const { client } = await open(() => status(422, "Invalid", said));
    const metadata = { namespace: "shop", name: "cart" };
    const error = await errorOf(client.create(resources.secrets, { metadata }));
    equal(error.reason, "Invalid");
    doesNotMatch(shown(error), all);
  });
});
