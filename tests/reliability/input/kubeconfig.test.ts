import { ok } from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { inspect } from "node:util";
import fc from "fast-check";
import { stringify } from "yaml";
import { connect } from "../../../engine/kubernetes/client/connect.ts";
import { KubeconfigError } from "../../../engine/kubernetes/kubeconfig/kubeconfig.ts";
import { KubernetesError } from "../../../engine/kubernetes/client/errors.ts";
import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import { VirtualTime } from "../../simulation/time.ts";
import { withFolder } from "../../unit/kubernetes/scripted-cluster.ts";
import { count, repeated } from "../effort.ts";
import { canary, deeplyNested, hostile, mutate, type Mutation } from "./hostile.ts";

const context = "west";

const right = {
  apiVersion: "v1",
  kind: "Config",
  "current-context": context,
  clusters: [
    { name: "c", cluster: { server: "https://127.0.0.1:1", "proxy-url": "http://127.0.0.1:1" } },
  ],
  users: [{ name: "u", user: { token: canary } }],
  contexts: [{ name: context, context: { cluster: "c", user: "u", namespace: "default" } }],
};

const field = fc.constantFrom(
  ...["server", "certificate-authority", "certificate-authority-data", "insecure-skip-tls-verify"],
  ...["tls-server-name", "proxy-url", "disable-compression", "extensions", "cluster", "user"],
  ...["token", "tokenFile", "username", "password", "client-certificate", "client-key", "exec"],
  ...["client-certificate-data", "client-key-data", "auth-provider", "as", "as-groups", "as-uid"],
);
/** Each contains a credential, so no message may repeat any part. */
const secretValue = fc.constantFrom<unknown>(
  ...[canary, [canary], { [canary]: canary }, `Bearer ${canary}`, `\n${canary}`, `${canary}\u0000`],
  ...[`http://u:${canary}@[`, `https://u:${canary}@host name`, `${canary}:${canary}`],
  ...[Buffer.from(canary).toString("base64"), { name: "oidc", config: { "id-token": canary } }],
);
/** No `exec` names a program that exists. */
const short = hostile.filter((one) => typeof one !== "string" || one.length < 2_000);
const value = fc.oneof(
  short,
  secretValue,
  fc.constant({ command: "/nowhere/plugin", apiVersion: "client.authentication.k8s.io/v1" }),
);

const how = fc.constantFrom("replace" as const, "add", "add", "add", "remove", "rename");
const edit = fc.oneof(
  fc.record({ inside: fc.constant("all"), at: fc.nat(), how, key: field, value: short }),
  fc.record({
    inside: fc.constantFrom("clusters", "users"),
    at: fc.nat(),
    how,
    key: field,
    value,
  }),
);

function edited(edits: readonly (Mutation & { readonly inside: string })[]): unknown {
  const config: Record<string, unknown> = structuredClone(right);
  for (const { inside, ...mutation } of edits) mutate(config[inside] ?? config, mutation);
  return config;
}

const yaml = fc.oneof(
  { weight: 8, arbitrary: fc.array(edit, { minLength: 1, maxLength: 4 }).map(edited).map(written) },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 200 }) },
  { weight: 2, arbitrary: fc.anything({ withNullPrototype: false, maxDepth: 3 }).map(written) },
  { weight: 1, arbitrary: deeplyNested.map((one) => JSON.stringify(one)) },
  {
    weight: 3,
    arbitrary: fc.tuple(fc.nat(), fc.string({ unit: "binary", maxLength: 3 })).map(([at, put]) => {
      const text = stringify(right);
      const place = at % text.length;
      return text.slice(0, place) + put + text.slice(place + put.length);
    }),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      `a: &a [x, x, x, x, x, x, x, x, x]\n${bombs()}\nclusters: *z`,
      `${stringify(right)}---\n${stringify(right)}`,
      `x: &x {server: "https://127.0.0.1:1"}\nclusters: [{name: c, cluster: {<<: *x}}]\ncontexts: [{name: west, context: {cluster: c}}]`,
      `clusters: &c [*c]`,
      `&a a: *a`,
      `!!js/function 'function () { throw 1 }'`,
      `token: ${canary}\n  clusters: [`,
      `- ${canary}: {`,
      `\ufeff${stringify(right)}`,
      `%YAML 9.9\n---\n${canary}`,
      `clusters: !!binary ${canary}`,
      `clusters: ${"[".repeat(3_000)}`,
    ),
  },
);

/** Returns aliases that expand to 9^10 items. */
function bombs(): string {
  const names = Array.from("abcdefghijz");
  return names
    .slice(1)
    .map(
      (name, index) =>
        `${name}: &${name} [${Array(9)
          .fill(`*${names[index] ?? ""}`)
          .join()}]`,
    )
    .join("\n");
}

function written(config: unknown): string {
  try {
    return config === undefined ? "" : stringify(config);
  } catch {
    return String(config);
  }
}

describe("bad input in a kubeconfig", () => {
  it("is a client or one printable sentence without a credential, and so is its first request", () =>
    withFolder(async (folder) => {
      const file = path.join(folder, "config");
      const outcomes = new Set<string>();
      await fc.assert(
        fc.asyncProperty(yaml, async (text) => {
          count("inputs");
          await writeFile(file, text);
          const error = await used(file).catch((reason: unknown) => reason);
          ok(
            error instanceof KubeconfigError || error instanceof KubernetesError,
            `neither a client nor a sentence: ${inspect(error)}`,
          );
          outcomes.add(error.name);
          const all = inspect(error, { depth: 5 }) + error.message;
          ok(!all.includes(canary), `tells a credential: ${error.message}`);
          ok(!all.includes(Buffer.from(canary).toString("base64")), error.message);
          ok(!/[\p{C}\p{Zl}\p{Zp}]/u.test(error.message), `not printable: ${error.message}`);
          ok(error.message.length < 2_500, `${error.message.length} characters`);
        }),
        { numRuns: repeated(100) },
      );
      ok(outcomes.has("KubeconfigError"), "a kubeconfig was refused");
    }));
});

/** Nobody listens at these servers, so the client fails with an error of its own. */
async function used(kubeconfig: string): Promise<unknown> {
  const environment = { variables: {}, home: "/nowhere" };
  const client = await connect({ context, kubeconfig }, "west", {
    environment,
    time: new VirtualTime(),
    connectTimeout: 200,
    requestTimeout: 200,
    retry: {
      working: { attempts: 1, within: 200 },
      connecting: { attempts: 1, within: 200 },
      backoff: { first: 1, longest: 1 },
    },
  });
  try {
    return await client.list(resources.services);
  } finally {
    await client.close();
  }
}
