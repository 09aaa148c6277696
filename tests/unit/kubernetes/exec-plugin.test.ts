import { deepEqual, doesNotMatch, equal, ok } from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { runPlugin } from "../../../engine/kubernetes/kubeconfig/exec-plugin.ts";
import { poll } from "../../../engine/kubernetes/client/retry.ts";
import { forEachTest, listError, listing, serviceList } from "./scripted-cluster.ts";
import { UserError } from "../../../engine/base/user-error.ts";

const v1 = "client.authentication.k8s.io/v1";

const script = (text: string) => ({
  command: process.execPath,
  args: ["-e", text, "canary-argument"],
  env: { SECRET: "canary-variable" },
  apiVersion: v1,
  provideClusterInfo: false,
});

const printing = (answer: unknown) =>
  script(`console.log(${JSON.stringify(JSON.stringify(answer))})`);

const credential = (status: unknown) => ({ kind: "ExecCredential", apiVersion: v1, status });

/** Returns a script whose token is a JSON value: this expression of what the plugin gets. */
const telling = (expression: string) => `
  const { KUBERNETES_EXEC_INFO: info, SECRET, KEPT, PULUMI_CONFIG = "" } = process.env;
  const { apiVersion, spec } = JSON.parse(info);
  const token = Buffer.from(JSON.stringify(${expression})).toString("base64url");
  console.log(JSON.stringify({ kind: "ExecCredential", apiVersion, status: { token } }));`;
const told = (token = "") => JSON.parse(Buffer.from(token, "base64url").toString()) as unknown;

const server = "https://west.example.com";
const run = { variables: process.env, cluster: () => Promise.resolve({ server }), limit: 20_000 };

async function failureOf(plugin: Parameters<typeof runPlugin>[0], limit = run.limit) {
  const failed = runPlugin(plugin, { ...run, limit });
  const error: unknown = await failed.catch((reason: unknown) => reason);
  ok(error instanceof UserError, `not a UserError: ${String(error)}`);
  doesNotMatch(error.message, /canary/);
  return error.message.replace(`the credential plugin ${process.execPath} `, "");
}

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}

describe("a credential plugin", () => {
  const { folder } = forEachTest();

  it("provides a token, a certificate with its key, and their expiry", async () => {
    const pair = { clientCertificateData: "c", clientKeyData: "k" };
    const status = { token: "t", ...pair, expirationTimestamp: "2030-01-01T00:00:00Z" };
    deepEqual(await runPlugin(printing(credential(status)), run), {
      token: "t",
      certificate: { cert: "c", key: "k" },
      expires: Date.UTC(2030, 0, 1),
    });
  });

  it("gets KUBERNETES_EXEC_INFO, a closed stdin, and the environment without Pulumi's config", async () => {
    const input = 'require("node:fs").readFileSync(0, "utf8")';
    const plugin = script(telling(`[${input}, JSON.parse(info), SECRET, KEPT, PULUMI_CONFIG]`));
    const own = { KEPT: "yes", SECRET: "overridden", PULUMI_CONFIG: "canary" };
    const variables = { ...process.env, ...own };
    for (const [provideClusterInfo, cluster] of [
      [false, {}],
      [true, { cluster: { server } }],
    ] as const) {
      const { token } = await runPlugin({ ...plugin, provideClusterInfo }, { ...run, variables });
      const spec = { interactive: false, ...cluster };
      const info = { kind: "ExecCredential", apiVersion: v1, spec };
      deepEqual(told(token), ["", info, "canary-variable", "yes", ""]);
    }
  });

  const another = { ...credential({ token: "canary" }), apiVersion: `${v1}beta1` };
  const half = credential({ token: "canary", clientKeyData: "canary" });
  const endless = "setInterval(() => process.stdout.write('canary'.repeat(1e5)), 1)";
  for (const [why, plugin] of [
    ["failed with exit code 3", script("console.error('canary'); process.exit(3)")],
    ["was ended by SIGTERM", script("process.kill(process.pid, 'SIGTERM'); setInterval(() => 0)")],
    ["printed something else than an ExecCredential", script("console.log('canary {')")],
    ["printed something else than an ExecCredential", printing({ status: { token: "canary" } })],
    [`did not answer in ${v1}, as its entry asks`, printing(another)],
    ["gave neither a token nor a certificate", printing(credential({ canary: 1 }))],
    ["gave neither a token nor a certificate", printing(credential(null))],
    ["gave a certificate or a key without the other", printing(half)],
    ["printed far more than a credential and was ended", script(endless)],
  ] as const)
    it(`is reported without its output if it ${why}`, async () => {
      equal(await failureOf(plugin), why);
    });

  it("is killed if it takes too long, and its children delay nothing", async () => {
    const file = path.join(await folder(), "pid");
    const plugin = script(`
      const { spawn } = require("node:child_process");
      process.on("SIGTERM", () => 0);
      spawn(process.execPath, ["-e", "setTimeout(() => 0, 5000)"], { stdio: "inherit" }).unref();
      require("node:fs").writeFileSync(${JSON.stringify(file)}, String(process.pid));
      setInterval(() => 0, 1000);`);
    equal(
      await failureOf(plugin, 1500),
      "gave no answer within 1.5 s and was ended; if it waits for somebody to log in, do so first",
    );
    const pid = Number(await readFile(file, "utf8"));
    ok(await poll(() => Promise.resolve(isGone(pid)), Boolean, { within: 5000, every: 20 }));
  });

  it("is reported with the install hint of its entry, on one line, if it is missing", async () => {
    const installHint = "Install it:\n\n  \u001b[1mbrew install it\n";
    equal(
      await failureOf({ ...script(""), command: "no-such-plugin", installHint }),
      "the credential plugin no-such-plugin was not found; to install it: Install it: [1mbrew install it",
    );
  });

  it("is reported with a command that shows why it has no credentials", async () => {
    const exec = { apiVersion: v1, interactiveMode: "Never", command: "no-such-plugin" };
    const { error, received } = await listError(() => serviceList([]), { user: { exec } });
    equal(error.kind, "unauthorized");
    equal(
      error.message,
      "could not load the credentials of context k3d-west to list services in cluster west: the credential plugin no-such-plugin was not found; kubectl --context k3d-west get --raw /version shows why",
    );
    equal(received.length, 0);
  });

  it("gets the kubeconfig's entry of the cluster", async () => {
    const { args, command } = script(telling("spec.cluster"));
    const extension = { audience: "canary" };
    const set = { "tls-server-name": "west", "disable-compression": true };
    const extensions = [{ name: "client.authentication.k8s.io/exec", extension }];
    const { received, url } = await listing(() => serviceList([]), {
      clusterEntry: { ...set, extensions },
      user: { exec: { apiVersion: `${v1}beta1`, provideClusterInfo: true, command, args } },
    });
    deepEqual(told(received[0]?.headers.authorization?.replace("Bearer ", "")), {
      server: url,
      ...set,
      "insecure-skip-tls-verify": true,
      config: extension,
    });
  });
});
