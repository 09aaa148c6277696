import { execFile, type ExecFileException } from "node:child_process";
import type { ExecPlugin } from "./entries.ts";
import { omitUndefined } from "../../base/omit-undefined.ts";
import { isRecord, parse } from "../objects/checks.ts";
import { UserError } from "../../base/user-error.ts";

export interface PluginRun {
  /** The plugin's `env` adds to this environment. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Returns `spec.cluster` for a plugin that asks for it (`provideClusterInfo`). */
  readonly cluster: () => Promise<unknown>;
  /** The plugin is killed after this many milliseconds. */
  readonly limit: number;
}

/** A credential has a few kB. */
const outputLimit = 1 << 20;

/**
 * Runs a plugin as kubectl does without a terminal. Its stderr is dropped, because secrets in it would end up in the
 * output of a deployment. The UserError that it throws has nothing that the plugin was given or has printed.
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
  // It has the stack config with its secrets decrypted, which Pulumi sets for its program alone.
  const { PULUMI_CONFIG: _, ...inherited } = run.variables;
  const variables = { ...inherited, ...plugin.env, KUBERNETES_EXEC_INFO: JSON.stringify(info) };
  return credentialIn(await outputOf(plugin, variables, run.limit), plugin);
}

function outputOf(
  plugin: ExecPlugin,
  env: Readonly<Record<string, string | undefined>>,
  timeout: number,
): Promise<string> {
  const options = { env, timeout, maxBuffer: outputLimit, killSignal: "SIGKILL" } as const;
  return new Promise((resolve, reject) => {
    const child = execFile(plugin.command, plugin.args, options, (error, output) => {
      if (error === null) resolve(output);
      else reject(failure(plugin, problemOf(error, timeout)));
    });
    child.stdin?.end();
  });
}

function problemOf({ code, signal, killed }: ExecFileException, timeout: number): string {
  if (code === "ENOENT") return "was not found";
  if (code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER")
    return "printed far more than a credential and was ended";
  if (typeof code === "string") return `can't be run (${code})`;
  if (typeof code === "number") return `failed with exit code ${code}`;
  return killed === true
    ? `gave no answer within ${timeout / 1000} s and was ended; if it waits for somebody to log in, do so first`
    : `was ended by ${String(signal)}`;
}

export type PluginCredential = ReturnType<typeof credentialIn>;

function credentialIn(output: string, plugin: ExecPlugin) {
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
  return omitUndefined({
    token,
    certificate: cert === undefined || key === undefined ? undefined : { cert, key },
    /** Without a time, in milliseconds since 1970, the credential holds until the server rejects it. */
    expires: Number.isNaN(expires) ? undefined : expires,
  });
}

function nonEmpty(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function failure({ command, installHint }: ExecPlugin, problem: string): UserError {
  const hint = installHint?.replaceAll(/[\p{C}\s]+/gu, " ").trim();
  const said = hint ? `; to install it: ${hint.slice(0, 300)}` : "";
  return new UserError(`the credential plugin ${command} ${problem}${said}`);
}
