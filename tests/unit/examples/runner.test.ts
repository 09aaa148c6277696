import { deepEqual, equal, ok } from "node:assert/strict";
import { join } from "node:path";
import * as z from "zod";
import { authenticatorOf } from "../../../engine/kubernetes/kubeconfig/authentication.ts";
import { readKubeconfig } from "../../../engine/kubernetes/kubeconfig/kubeconfig.ts";
import { documents, folder, text } from "./files.ts";

const statement = z.strictObject({
  Sid: z.string(),
  Effect: z.literal("Allow"),
  Principal: z.record(z.string(), z.string()).optional(),
  Action: z.union([z.string(), z.array(z.string())]),
  Resource: z.string().optional(),
  Condition: z.strictObject({ StringEquals: z.record(z.string(), z.unknown()) }).optional(),
});
const policy = z.strictObject({ Version: z.literal("2012-10-17"), Statement: z.array(statement) });
const statementsIn = (file: string) =>
  policy.parse(JSON.parse(text(`runner/aws/${file}`))).Statement;

describe("examples/runner", () => {
  it("has a kubeconfig whose contexts get a token from the plugin of each cloud", async () => {
    const kubeconfig = join(folder, "runner/kubeconfig.yaml");
    const PATH = join(import.meta.dirname, "stubs/plugins");
    const tokens = ["west", "east", "north"].map(async (context) => {
      const config = await readKubeconfig({ context, kubeconfig }, context);
      const { headers } = await authenticatorOf(config, {
        variables: { PATH },
        limit: 10_000,
      })();
      return headers;
    });
    const bearer = (said: string) => ({ authorization: `Bearer ${said.replaceAll(" ", ",")}` });
    const role = "--role-arn arn:aws:iam::444455556666:role/mesh-runner";
    deepEqual(await Promise.all(tokens), [
      bearer("aws --region eu-central-1 eks get-token --cluster-name west --output json"),
      bearer(`aws --region us-east-1 eks get-token --cluster-name east ${role} --output json`),
      bearer("gke-gcloud-auth-plugin --use_application_default_credentials"),
    ]);
  });

  it("trusts the accounts of the pods and the environments of the workflow", () => {
    const conditions = statementsIn("trust.json").map(({ Condition }) => Condition?.StringEquals);
    const subjects = conditions.flatMap((each = {}) =>
      Object.entries(each).flatMap(([key, value]) => (key.endsWith(":sub") ? value : [])),
    );
    const accounts = ["watch/kubernetes.yaml", "operator/access.yaml"].flatMap((file) =>
      documents(file).flatMap((document) => {
        const account = z.object({
          kind: z.literal("ServiceAccount"),
          metadata: z.object({ name: z.string(), namespace: z.string() }),
        });
        const { success, data } = account.safeParse(document);
        return success ? [`${data.metadata.namespace}:${data.metadata.name}`] : [];
      }),
    );
    deepEqual(subjects, [
      ...accounts.map((each) => `system:serviceaccount:${each}`),
      ...["trust", "west", "east"].map((stack) => `repo:example/mesh:environment:${stack}`),
    ]);
  });

  it("may assume the role in the other account, which trusts the runner's", () => {
    const [roles] = statementsIn("policy.json");
    const [runner] = statementsIn("trust-other-account.json");
    ok(text("runner/kubeconfig.yaml").includes(roles?.Resource ?? "no role"));
    equal(runner?.Principal?.["AWS"], "arn:aws:iam::111122223333:role/mesh-runner");
    deepEqual(runner.Action, roles?.Action);
  });
});
