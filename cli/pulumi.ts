import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { printable, codeOf, messageOf, UserError } from "@linkerd-multicluster/engine/kubernetes";
import { type Inputs, withWholeLinks } from "@linkerd-multicluster/engine/mirroring";

/** Bytes that a command may print; a state has a few MB. */
const maxBuffer = 512 * 2 ** 20;

/** Variables with which Pulumi's CLI runs without a terminal. */
export const unattended = { PULUMI_SKIP_UPDATE_CHECK: "true", PULUMI_OPTION_COLOR: "never" };

/** The location of a stack for Pulumi's CLI. */
export interface StackLocation {
  /** The program's, with its Pulumi.yaml. */
  readonly folder: string;
  /** Absent: the stack that is selected, or that PULUMI_STACK names. */
  readonly stack?: string;
  readonly variables: NodeJS.ProcessEnv;
}

export function stackOption({ stack }: StackLocation): readonly string[] {
  return stack === undefined ? [] : ["--stack", stack];
}

/** Runs a short command of Pulumi's CLI, and returns what it prints. @throws UserError */
export async function pulumi(words: readonly string[], at: StackLocation): Promise<string> {
  const options = { cwd: at.folder, env: { ...at.variables, ...unattended }, maxBuffer };
  try {
    const all = [...words, ...stackOption(at), "--non-interactive"];
    return (await promisify(execFile)("pulumi", all, options)).stdout;
  } catch (error) {
    const printed = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
    if (printed === "") throw notRun(error);
    const why = printable(printed.replace(/^error: /, ""));
    throw new UserError(`pulumi ${words.join(" ")} failed: ${why}`);
  }
}

/** The error for a CLI that could not be run. */
export function notRun(cause: unknown): UserError {
  if (codeOf(cause) === "ENOENT")
    return new UserError("there is no pulumi on PATH: install Pulumi's CLI");
  return new UserError(`pulumi failed: ${messageOf(cause)}`);
}

/** As Node programs name the resource, and as the plugin names it for every other language. */
const mirrorsTypes: readonly (string | undefined)[] = [
  "pulumi-nodejs:dynamic/linkerd:Mirrors",
  "linkerd-multicluster:engine:Mirrors",
];
const trustType = "linkerd-multicluster:index:TrustRoot";

interface Resource {
  readonly type?: string;
  readonly urn?: string;
  readonly delete?: boolean;
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly outputs?: { readonly expiries?: Readonly<Record<string, unknown>> };
}

export interface StackState {
  /** The inputs of every `linkerd:Mirrors`, by URN. */
  readonly mirrors: ReadonlyMap<string, Inputs>;
  /** In ISO 8601 by what expires; empty if the stack does not manage trust. */
  readonly expiries: Readonly<Record<string, string>>;
}

/** Reads what `pulumi stack export` prints: this program's own resources, as the last run left them. */
export function stackStateIn(exported: string): StackState {
  const { deployment } = JSON.parse(exported) as {
    readonly deployment?: { readonly resources?: readonly Resource[] };
  };
  const resources = deployment?.resources ?? [];
  const mirrors = resources.flatMap(({ type, urn = "", delete: isReplaced, inputs = {} }) => {
    const { __provider: _, kubeconfigs: _secret, ...rest } = inputs;
    const isMirrors = mirrorsTypes.includes(type) && isReplaced !== true;
    return isMirrors && isWhole(rest) ? [[urn, withWholeLinks(rest)] as const] : [];
  });
  const expiries = resources
    .filter(({ type }) => type === trustType)
    .flatMap(({ outputs }) => Object.entries(outputs?.expiries ?? {}))
    .filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return { mirrors: new Map(mirrors), expiries: Object.fromEntries(expiries) };
}

/** A resource whose first run failed early may have less. */
function isWhole(inputs: Readonly<Record<string, unknown>>): inputs is Inputs & typeof inputs {
  const { source, stack, clusters, links } = inputs;
  const isNamed = typeof source === "string" && typeof stack === "string";
  return isNamed && typeof clusters === "object" && Array.isArray(links);
}
