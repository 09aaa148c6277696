import { deepEqual, equal, rejects } from "node:assert/strict";
import { readKubeconfig } from "../../../engine/kubernetes/kubeconfig/kubeconfig.ts";
import { type Methods, PartialFailure, unknownValue } from "../../../engine/providers/contract.ts";
import { withKubeconfigs } from "../../../engine/providers/given-kubeconfigs.ts";

type Props = Readonly<Record<string, unknown>>;

const name = "input:mesh/west";
const content = (token: string) =>
  JSON.stringify({
    "current-context": "one",
    users: [{ name: "me", user: { token } }],
    clusters: [{ name: "here", cluster: { server: "https://west.test" } }],
    contexts: ["one", "two"].map((each) => ({
      name: each,
      context: { cluster: "here", user: "me" },
    })),
  });

/** Keeps what the methods of a resource get to see, and the token that they would use. */
function resource({ failing = false } = {}) {
  const seen: Props[] = [];
  const tokens: (string | undefined)[] = [];
  const look = async (props: Props) => {
    seen.push(props);
    tokens.push((await readKubeconfig({ context: name, kubeconfig: name }, "west")).user.token);
  };
  const make = async (props: Props) => {
    await look(props);
    if (failing) throw new PartialFailure("west", props, ["no"]);
    return { id: "west", outs: props };
  };
  const methods = withKubeconfigs(
    {
      check: async (_olds: Props, news: Props) => {
        await look(news);
        return { inputs: { ...news, made: 1 }, failures: [] };
      },
      diff: () => Promise.resolve({ changes: false }),
      create: make,
      update: (_id: string, _olds: Props, news: Props) => make(news),
      read: (_id: string, props: Props) => Promise.resolve({ id: "west", props }),
      delete: (_id: string, props: Props) => look(props),
    },
    ["made"],
  );
  const call = (method: Methods, ...args: unknown[]): unknown =>
    (methods[method] as (...given: unknown[]) => unknown)(...args);
  return { call, seen, tokens };
}

const given = (token: string) => ({ a: 1, kubeconfigs: { [name]: content(token) } });

describe("kubeconfigs among the inputs of a resource", () => {
  it("are used by each of its methods, seen by none, and kept under their own key", async () => {
    const { call, seen, tokens } = resource();
    const first = given("first-token");
    deepEqual(await call("check", {}, first), { inputs: { ...first, made: 1 }, failures: [] });
    deepEqual(await call("create", first), { id: "west", outs: first });
    const second = given("second-token");
    deepEqual(await call("update", "west", first, second), { id: "west", outs: second });
    deepEqual(await call("read", "west", second), { id: "west", props: second });
    // What state has may be older than what this run was given.
    await call("delete", "west", first);
    deepEqual(tokens, ["first-token", "first-token", "second-token", "second-token"]);
    deepEqual(new Set(seen.map((props) => JSON.stringify(props))), new Set(['{"a":1}']));
  });

  it("are kept where a run is done in part", async () => {
    const { call } = resource({ failing: true });
    await rejects(() => Promise.resolve(call("create", given("t"))), { properties: given("t") });
  });

  it("make the rest unknown as long as they are", async () => {
    const { call, seen } = resource();
    const unknown = { a: 1, kubeconfigs: { [name]: unknownValue } };
    const inputs = { ...unknown, made: unknownValue };
    deepEqual(await call("check", {}, unknown), { inputs, failures: [] });
    deepEqual(seen, []);
  });

  it("are a change where they are not those of state, by which a later run deletes", async () => {
    const { call } = resource();
    deepEqual(await call("diff", "west", given("a"), given("a")), { changes: false });
    deepEqual(await call("diff", "west", given("a"), given("b")), { changes: true });
  });

  it("may be left out, and then nothing is touched", async () => {
    const { call } = resource();
    await call("check", {}, given("t"));
    deepEqual(await call("create", { a: 1 }), { id: "west", outs: { a: 1 } });
    deepEqual(await call("read", "west", { a: 1 }), { id: "west", props: { a: 1 } });
    equal(await call("delete", "west", { a: 1 }), undefined);
  });
});
