import { deepEqual, equal, rejects } from "node:assert/strict";
import { readKubeconfig } from "../../../engine/kubernetes/kubeconfig/kubeconfig.ts";
import { PartialFailure, unknownValue } from "../../../engine/providers/contract.ts";
import { served } from "../../../engine/providers/served.ts";

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

/** Notes the properties that the methods of a resource get, and the token that they would use. */
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
  const own = {
    check: async (_olds: Props, news: Props) => {
      await look(news);
      return { inputs: { ...news, made: 1 }, failures: [] };
    },
    diff: () => Promise.resolve({ changes: false }),
    create: make,
    update: (_id: string, _olds: Props, news: Props) => make(news),
    read: (_id: string, props: Props) => Promise.resolve({ id: "west", props }),
    delete: (_id: string, props: Props) => look(props),
  };
  return { methods: served(() => Promise.resolve(own), ["made"]), seen, tokens };
}

const given = (token: string) => ({ a: 1, kubeconfigs: { [name]: content(token) } });

describe("kubeconfigs among the inputs of a resource", () => {
  it("are used by all methods, passed to none, and kept under their own key", async () => {
    const { methods, seen, tokens } = resource();
    const first = given("first-token");
    deepEqual(await methods.check({}, first), { inputs: { ...first, made: 1 }, failures: [] });
    deepEqual(await methods.create(first), { id: "west", outs: first });
    const second = given("second-token");
    deepEqual(await methods.update("west", first, second), { id: "west", outs: second });
    deepEqual(await methods.read("west", second), { id: "west", props: second });
    // The kubeconfig in state may be older than that of this run.
    await methods.delete("west", first);
    deepEqual(tokens, ["first-token", "first-token", "second-token", "second-token"]);
    deepEqual(new Set(seen.map((props) => JSON.stringify(props))), new Set(['{"a":1}']));
  });

  it("are kept after a partial failure", async () => {
    const { methods } = resource({ failing: true });
    await rejects(methods.create(given("t")), { properties: { ...given("t"), unfinished: true } });
  });

  it("make planned inputs unknown while they are unknown", async () => {
    const { methods, seen } = resource();
    const unknown = { a: 1, kubeconfigs: { [name]: unknownValue } };
    const inputs = { ...unknown, made: unknownValue };
    deepEqual(await methods.check({}, unknown), { inputs, failures: [] });
    deepEqual(seen, []);
  });

  it("count as a change if they differ from state, because a later run deletes with them", async () => {
    const { methods } = resource();
    deepEqual(await methods.diff("west", given("a"), given("a")), { changes: false });
    deepEqual(await methods.diff("west", given("a"), given("b")), { changes: true });
  });

  it("don't load the resource's code before its first call", async () => {
    let loads = 0;
    const fail = () => Promise.reject(new Error("no"));
    const own = { check: fail, diff: fail, create: fail, update: fail, read: fail, delete: fail };
    const methods = served(() => {
      loads += 1;
      return Promise.resolve(own);
    });
    await methods.check({}, { kubeconfigs: { [name]: unknownValue } });
    equal(loads, 0);
    await rejects(methods.delete("west", {}), /no/);
    equal(loads, 1);
  });
});
