import { doesNotMatch, equal } from "node:assert/strict";
import { inspect } from "node:util";
import { dispatcherFor } from "../../../engine/kubernetes/client/dispatcher.ts";
import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import { hidden } from "../../../engine/kubernetes/client/redaction.ts";
import { errorOf, forEachTest, listError, status } from "./scripted-cluster.ts";

const login = Buffer.from("me:canary-password").toString("base64");
const all = new RegExp(`canary|${login}`);

/** Shows everything that a log or a crash report could show of a value. */
const shown = (value: unknown) =>
  inspect(value, { depth: Infinity, showHidden: true }) + String(value) + JSON.stringify(value);

describe("credentials", () => {
  const { open } = forEachTest();
  it("don't appear in the error, the log or the client after an error page that echoes the request", async () => {
    const lines: string[] = [];
    const { error, client } = await listError(
      ({ headers }) => ({ status: 400, body: JSON.stringify(headers) }),
      { user: { token: "canary-token" }, log: (line) => lines.push(line) },
    );
    doesNotMatch(shown([error, lines, client]), all);
    equal(error.cause, undefined);
  });

  it("don't appear if a proxy's password is quoted", async () => {
    const { error } = await listError(() => status(400, "Odd", `you sent ${login}.`), {
      clusterEntry: { "proxy-url": "http://me:canary-password@127.0.0.1:1" },
      dispatcher: (route) => dispatcherFor({ ...route, proxy: undefined }),
    });
    equal(error.detail, hidden);
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
