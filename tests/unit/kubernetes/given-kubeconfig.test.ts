import { equal, rejects } from "node:assert/strict";
import { giveKubeconfigs, nameOfGiven } from "../../../engine/kubernetes/kubeconfig/given.ts";
import {
  KubeconfigError,
  KubeconfigPending,
  readKubeconfig,
} from "../../../engine/kubernetes/kubeconfig/kubeconfig.ts";

const contexts = ["one", "two"].map((name) => ({ name, context: { cluster: name, user: "me" } }));
const clusters = ["one", "two"].map((name) => ({
  name,
  cluster: { server: `https://${name}.test` },
}));
const whole = { "current-context": "two", contexts, clusters, users: [{ name: "me", user: {} }] };

let count = 0;

function read(content: unknown, context?: string) {
  const name = nameOfGiven("mesh", `west-${count++}`);
  if (content !== undefined) giveKubeconfigs({ [name]: JSON.stringify(content) });
  return readKubeconfig({ context: context ?? name, kubeconfig: name }, "west");
}

describe("a kubeconfig that a program gives", () => {
  it("is that of its current context, or of the one that is named", async () => {
    equal((await read(whole)).cluster.server, "https://two.test");
    equal((await read(whole, "one")).cluster.server, "https://one.test");
  });

  const { "current-context": _, ...contextless } = whole;
  const relative = { ...whole, users: [{ name: "me", user: { tokenFile: "token" } }] };
  const rows: [what: string, content: unknown, context: string | undefined, message: RegExp][] = [
    ["without a current context", contextless, undefined, /has no current-context: set it, or/],
    [
      "without the context",
      whole,
      "three",
      /no context three in input:mesh\/west-\d+; the contexts/,
    ],
    ["that is no map", [], undefined, /is not valid/],
    [
      "with a relative path",
      relative,
      undefined,
      /a relative path in .*tokenFile.*: embed the file/,
    ],
  ];
  for (const [what, content, context, message] of rows)
    it(`is a mistake ${what}`, () =>
      rejects(read(content, context), (error: Error) => {
        equal(error instanceof KubeconfigError && message.test(error.message), true, error.message);
        return true;
      }));

  it("is none before it is known", () => rejects(read(undefined), KubeconfigPending));
});
