import { spawn } from "node:child_process";
import { defined } from "./defined.ts";
import { codeOf, isRecord, parse } from "./failure.ts";

/** A credential plugin, as `exec` of a kubeconfig's user names it. */
export interface ExecPlugin {
  /** An absolute path, or a name to be looked up on PATH. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly apiVersion: string;
  readonly provideClusterInfo: boolean;
  readonly installHint?: string;
}

/** The versions of `ExecCredential` that kubectl speaks. */
export const pluginVersions: readonly string[] = [
  "client.authentication.k8s.io/v1",
  "client.authentication.k8s.io/v1beta1",
];

/** What a plugin gives: a token, a certificate with its key, or all of them. */
export interface PluginCredential {
  readonly token?: string;
  /** PEM. */
  readonly certificate?: { readonly cert: string; readonly key: string };
  /** Milliseconds since 1970; without it for as long as the server takes it. */
  readonly expires?: number;
}

/** How a plugin is run. */
export interface PluginRun {
  /** The environment, to which `env` of the plugin adds. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** `spec.cluster` for a plugin that asks for it (`provideClusterInfo`). */
  readonly cluster: () => Promise<unknown>;
  /** Milliseconds after which the plugin is ended. */
  readonly limit: number;
}

/** A sentence about a plugin that names its command, never what it was given or has printed. */
export class PluginFailure extends Error {
  override readonly name = "PluginFailure";
}

/** A credential is a few kB. */
const outputLimit = 1 << 20;

/**
 * Runs a plugin as kubectl does without a terminal: with a closed stdin, and `KUBERNETES_EXEC_INFO`
 * in its environment. What it prints on stderr goes nowhere: it may hold secrets, and here it would
 * end up in the output of a deployment.
 *
 * @throws PluginFailure
 */
export async function runPlugin(plugin: ExecPlugin, run: PluginRun): Promise<PluginCredential> {
  const info = {
    kind: "ExecCredential",
    apiVersion: plugin.apiVersion,
    spec: {
      ...(plugin.provideClusterInfo && { cluster: await run.cluster() }),
      interactive: false,
    },
  };
  // Pulumi's own, for its program alone: the stack config with its secrets decrypted.
  const { PULUMI_CONFIG: _, ...inherited } = run.variables;
  const variables = { ...inherited, ...plugin.env, KUBERNETES_EXEC_INFO: JSON.stringify(info) };
  return credentialIn(await outputOf(plugin, variables, run.limit), plugin);
}

function outputOf(
  plugin: ExecPlugin,
  env: Readonly<Record<string, string | undefined>>,
  limit: number,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (problem: string) => {
      reject(failure(plugin, problem));
    };
    const child = spawn(plugin.command, plugin.args, {
      env,
      stdio: ["ignore", "pipe", "ignore"],
      windowsHide: true,
    });
    const chunks: Buffer[] = [];
    let size = 0;
    const end = (problem: string) => {
      clearTimeout(timer);
      child.kill("SIGKILL");
      // A process that it has started may hold the pipe open.
      child.stdout.destroy();
      fail(problem);
    };
    const timer = setTimeout(() => {
      end(
        `gave no answer within ${limit / 1000} s and was ended; if it waits for somebody to log in, do so first`,
      );
    }, limit);
    child.stdout.on("data", (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > outputLimit) end("printed far more than a credential and was ended");
    });
    child.on("error", (error) => {
      clearTimeout(timer);
      const code = codeOf(error);
      fail(code === "ENOENT" ? "was not found" : `can't be run (${code})`);
    });
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      if (code === 0) resolve(Buffer.concat(chunks).toString());
      else fail(code === null ? `was ended by ${String(signal)}` : `failed with exit code ${code}`);
    });
  });
}

function credentialIn(output: string, plugin: ExecPlugin): PluginCredential {
  const answer = parse(output);
  if (!isRecord(answer) || answer.kind !== "ExecCredential") {
    throw failure(plugin, "printed something else than an ExecCredential");
  }
  if (answer.apiVersion !== plugin.apiVersion) {
    throw failure(plugin, `did not answer in ${plugin.apiVersion}, as its entry asks`);
  }
  const status = isRecord(answer.status) ? answer.status : {};
  const token = nonEmpty(status.token);
  const cert = nonEmpty(status.clientCertificateData);
  const key = nonEmpty(status.clientKeyData);
  const expires = Date.parse(nonEmpty(status.expirationTimestamp) ?? "");
  if ((cert === undefined) !== (key === undefined)) {
    throw failure(plugin, "gave a certificate or a key without the other");
  }
  if (token === undefined && cert === undefined) {
    throw failure(plugin, "gave neither a token nor a certificate");
  }
  return defined({
    token,
    certificate: cert === undefined || key === undefined ? undefined : { cert, key },
    expires: Number.isNaN(expires) ? undefined : expires,
  });
}

function nonEmpty(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function failure({ command, installHint }: ExecPlugin, problem: string): PluginFailure {
  const hint = installHint?.replaceAll(/[\p{C}\s]+/gu, " ").trim();
  const said = hint ? `; to install it: ${hint.slice(0, 300)}` : "";
  return new PluginFailure(`the credential plugin ${command} ${problem}${said}`);
}
