import assert from "node:assert/strict";
import { inspect } from "node:util";
import type { TokenCheckArgs } from "../../../engine/credentials/state.ts";
import { checkToken, questions } from "../../../engine/credentials/token-check.ts";
import { connect } from "../../../engine/kubernetes/client/connect.ts";
import {
  absent,
  FakeTime,
  type Script,
  status,
  withCluster,
} from "../kubernetes/scripted-cluster.ts";

const args: TokenCheckArgs = {
  target: "west",
  access: { context: "k3d-west" },
  namespace: "linkerd-multicluster",
  account: "linkerd-multicluster-access-east",
  secret: "token-1-1",
  rules: [{ apiGroups: [""], resources: ["services"], verbs: ["get", "list"] }],
};

const token = Buffer.from("canary").toString("base64");
const metadata = { name: args.secret, namespace: args.namespace };
const secret = (data?: object) => ({
  body: { kind: "Secret", apiVersion: "v1", metadata, data },
});
const review = (allowed: boolean) => ({
  body: { kind: "SelfSubjectAccessReview", status: { allowed } },
});

/** The runner and the bearer of the token share a server that follows the script. */
async function check(
  script: Script,
): Promise<{ problem?: unknown; slept: number; bearers: string[] }> {
  const bearers: string[] = [];
  const time = new FakeTime();
  let problem: unknown;
  await withCluster(script, async ({ client, kubeconfig }) => {
    problem = await checkToken(args, {
      runner: () => Promise.resolve(client),
      bearer: (text) => {
        bearers.push(text);
        return connect({ context: "k3d-west", kubeconfig }, "west", { time: new FakeTime() });
      },
      polling: { within: 10, every: 5, time },
    }).catch((error: unknown) => error);
  });
  assert.doesNotMatch(inspect(problem), /canary/);
  return { problem, slept: time.now(), bearers };
}

const sentence = (problem: unknown) => (problem instanceof Error ? problem.message : "none");

describe("a new token", () => {
  it("is good when it is taken and allowed everything", async () => {
    const asked: unknown[] = [];
    const { problem, bearers } = await check(({ method, body }) => {
      if (method === "GET") return secret({ token });
      asked.push(body);
      return review(true);
    });
    assert.equal(problem, undefined);
    assert.deepEqual(bearers, ["canary"]);
    assert.equal(asked.length, 2);
  });

  it("may take a moment to be filled in, and to be allowed", async () => {
    let reads = 0;
    const { problem, slept } = await check(({ method }) =>
      method === "GET" ? secret(++reads > 1 ? { token } : undefined) : review(reads > 2),
    );
    assert.equal(problem, undefined);
    assert.equal(slept, 10);
  });

  it("is refused with what it may not do", async () => {
    const { problem } = await check(({ method }) =>
      method === "GET" ? secret({ token }) : review(false),
    );
    assert.match(
      sentence(problem),
      /^the token in Secret west\/linkerd-multicluster\/token-1-1 is not allowed to get services, list services: check ClusterRole/,
    );
  });

  it("is refused when the cluster does not take it", async () => {
    const { problem } = await check(({ method }) =>
      method === "GET" ? secret({ token }) : status(401, "Unauthorized", "Unauthorized"),
    );
    assert.match(sentence(problem), /^cluster west rejects the token in Secret west\//);
  });

  it("is refused when it never comes", async () => {
    for (const script of [secret, absent] as const) {
      const { problem } = await check((request) =>
        script === absent ? absent(request) : secret(),
      );
      assert.match(sentence(problem), /token-1-1 has no token: check that service account/);
    }
  });

  it("is asked about each verb, resource and name", () => {
    const rules = [
      { apiGroups: ["apps"], resources: ["a", "b"], verbs: ["get"] },
      { apiGroups: [""], resources: ["c"], resourceNames: ["one"], verbs: ["get", "list"] },
    ];
    assert.deepEqual(questions(rules), [
      { group: "apps", resource: "a", verb: "get" },
      { group: "apps", resource: "b", verb: "get" },
      { group: "", resource: "c", verb: "get", name: "one" },
      { group: "", resource: "c", verb: "list", name: "one" },
    ]);
  });
});
