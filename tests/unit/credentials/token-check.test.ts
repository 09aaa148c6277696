import { deepEqual, doesNotMatch, equal, match } from "node:assert/strict";
import { inspect } from "node:util";
import type { TokenCheckArgs } from "../../../engine/credentials/state.ts";
import { checkToken, questions } from "../../../engine/credentials/token-check.ts";
import { connect } from "../../../engine/kubernetes/client/connect.ts";
import {
  absent,
  type Reply,
  type Script,
  status,
  withCluster,
} from "../kubernetes/scripted-cluster.ts";
import { VirtualTime } from "../../simulation/time.ts";

const args: TokenCheckArgs = {
  target: "west",
  access: { context: "k3d-west" },
  namespace: "linkerd-multicluster",
  account: "linkerd-multicluster-access-east",
  secret: "token-1-1",
  rules: [{ apiGroups: [""], resources: ["services"], verbs: ["get", "list"] }],
};

const secret = (token?: string): Reply => ({
  body: {
    kind: "Secret",
    apiVersion: "v1",
    metadata: { name: args.secret, namespace: args.namespace },
    data: token === undefined ? undefined : { token: Buffer.from(token).toString("base64") },
  },
});
const review = (allowed: boolean): Reply => ({
  body: { kind: "SelfSubjectAccessReview", status: { allowed } },
});

/** The runner and the bearer of the token share a server. */
async function check(read: Script, reviewed: Script = () => review(true)) {
  const bearers: string[] = [];
  const asked: unknown[] = [];
  const time = new VirtualTime();
  let problem: unknown;
  const script: Script = (request, index) => {
    if (request.method === "GET") return read(request, index);
    asked.push(request.body);
    return reviewed(request, index);
  };
  await withCluster(script, async ({ client, kubeconfig }) => {
    problem = await checkToken(args, {
      runner: () => Promise.resolve(client),
      bearer: (text) => {
        bearers.push(text);
        return connect({ context: "k3d-west", kubeconfig }, "west", { time: new VirtualTime() });
      },
      polling: { within: 10, every: 5, time },
    }).catch((error: unknown) => error);
  });
  doesNotMatch(inspect(problem), /canary/);
  const sentence = problem instanceof Error ? problem.message : "none";
  return { sentence, slept: time.now(), bearers, asked: asked.length };
}

describe("a new token", () => {
  it("passes if the cluster accepts it and grants all rules", async () => {
    const good = { sentence: "none", slept: 0, bearers: ["canary"], asked: 2 };
    deepEqual(await check(() => secret("canary")), good);
  });

  it("passes if its Secret and its rights come with a delay", async () => {
    let reads = 0;
    const { sentence, slept } = await check(
      () => secret(++reads > 1 ? "canary" : undefined),
      () => review(reads > 2),
    );
    deepEqual([sentence, slept], ["none", 10]);
  });

  it("fails if a right is missing, which the message names", async () => {
    const { sentence } = await check(
      () => secret("canary"),
      () => review(false),
    );
    match(
      sentence,
      /^the token in Secret west\/linkerd-multicluster\/token-1-1 is not allowed to get services, list services: check ClusterRole/,
    );
  });

  it("fails if the cluster rejects it", async () => {
    const { sentence } = await check(
      () => secret("canary"),
      () => status(401, "Unauthorized", "Unauthorized"),
    );
    match(sentence, /^cluster west rejects the token in Secret west\//);
  });

  it("fails if its Secret stays empty or doesn't exist", async () => {
    for (const read of [() => secret(), absent])
      match((await check(read)).sentence, /token-1-1 has no token: check that service/);
  });

  it("is checked for each verb, resource and name", () => {
    const rules = [
      { apiGroups: ["apps"], resources: ["a", "b"], verbs: ["get"] },
      { apiGroups: [""], resources: ["c"], resourceNames: ["one"], verbs: ["get", "list"] },
    ];
    const asked = questions(rules).map(({ group, ...rest }) => [group, ...Object.values(rest)]);
    const expected = ["apps a get", "apps b get", " c get one", " c list one"];
    equal(asked.map((each) => each.join(" ")).join(), expected.join());
  });
});
