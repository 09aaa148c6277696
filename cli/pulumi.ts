import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { type HealthArgs, type HealthMesh, meshIn } from "@linkerd-multicluster/engine/health";
import {
  codeOf,
  messageOf,
  omitUndefined,
  printable,
  registerKubeconfigs,
  UserError,
} from "@linkerd-multicluster/engine/kubernetes";
import { type Inputs, withWholeLinks } from "@linkerd-multicluster/engine/mirroring";
import type { ConfigTexts } from "../config/stack-file.ts";
import type { Chosen } from "./stacks.ts";

/** This is in bytes. A state has a few MB. */
const maxBuffer = 512 * 2 ** 20;

/** With these, Pulumi's CLI neither prints colors nor mentions new versions. */
export const unattended = { PULUMI_SKIP_UPDATE_CHECK: "true", PULUMI_OPTION_COLOR: "never" };

export interface StackLocation {
  readonly folder: string;
  /** Without it, Pulumi's CLI takes the stack that is selected. */
  readonly stack?: string;
  readonly variables: NodeJS.ProcessEnv;
}

/** Pulumi's CLI reads its option `--config-file` from the variables. */
export function locationOf(
  { folder, stack, configFile }: Chosen,
  variables: NodeJS.ProcessEnv,
): StackLocation {
  const named = stack ?? variables["PULUMI_STACK"];
  const file = configFile ?? variables["PULUMI_OPTION_CONFIG_FILE"];
  return {
    folder,
    variables: { ...variables, ...omitUndefined({ PULUMI_OPTION_CONFIG_FILE: file }) },
    ...omitUndefined({ stack: named }),
  };
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

export function notRun(cause: unknown): UserError {
  if (codeOf(cause) === "ENOENT")
    return new UserError("there is no pulumi on PATH: install Pulumi's CLI");
  return new UserError(`pulumi failed: ${messageOf(cause)}`);
}

/** Reads the config that Pulumi computes, environments included, without secrets. @throws UserError */
export async function effectiveConfig(at: StackLocation): Promise<ConfigTexts> {
  const printed = await pulumi(["config", "--json"], at);
  const values = JSON.parse(printed) as Readonly<Record<string, { readonly value?: string }>>;
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, { value }]) =>
      value === undefined ? [] : [[key, value]],
    ),
  );
}

/** Node programs name the resources by the first type, and the plugin of all other languages by the second. */
function typesOf(name: string): readonly string[] {
  return [`pulumi-nodejs:dynamic/linkerd:${name}`, `linkerd-multicluster:engine:${name}`];
}

export const mirrorsTypes = typesOf("Mirrors");
const healthTypes = typesOf("Health");
const trustType = "linkerd-multicluster:index:TrustRoot";

export interface Resource {
  readonly type?: string;
  readonly urn?: string;
  readonly delete?: boolean;
  readonly inputs?: Readonly<Record<string, unknown>> & {
    readonly kubeconfigs?: Secret;
    /** Only `linkerd:Health` has it. */
    readonly mesh?: HealthArgs["mesh"];
  };
  readonly outputs?: { readonly expiries?: Readonly<Record<string, unknown>> };
}

/** `pulumi stack export --show-secrets` writes secrets like this. */
interface Secret {
  readonly plaintext?: string;
}

export interface StackState {
  /** The last run checked this mesh. It is absent before the first run. */
  readonly mesh?: HealthMesh;
  /** The keys are URNs of `linkerd:Mirrors`. */
  readonly mirrors: ReadonlyMap<string, Inputs>;
  /** The times are ISO 8601, by what expires. There are none if the stack does not manage trust. */
  readonly expiries: Readonly<Record<string, string>>;
}

/**
 * Reads this program's own resources in a stack's state, as the last run left them. Where the program gave kubeconfigs
 * as values, only state has them, and this process keeps them in memory.
 *
 * @throws UserError
 */
export async function stackState(at: StackLocation): Promise<StackState> {
  const exported = await pulumi(["stack", "export"], at);
  if (!exported.includes('"kubeconfigs"')) return stackStateIn(exported);
  const decrypted = await pulumi(["stack", "export", "--show-secrets"], at);
  for (const { inputs } of resourcesIn(decrypted)) {
    const { plaintext } = inputs?.kubeconfigs ?? {};
    if (plaintext !== undefined)
      registerKubeconfigs(JSON.parse(plaintext) as Readonly<Record<string, string>>);
  }
  return stackStateIn(exported);
}

export function stackStateIn(exported: string): StackState {
  const resources = resourcesIn(exported);
  const expiries = resources
    .filter(({ type }) => type === trustType)
    .flatMap(({ outputs }) => Object.entries(outputs?.expiries ?? {}))
    .filter((entry): entry is [string, string] => typeof entry[1] === "string");
  const [health] = inputsOf(resources, healthTypes);
  const mesh = health?.[1].mesh;
  return {
    mirrors: mirrorsIn(resources),
    expiries: Object.fromEntries(expiries),
    ...omitUndefined({ mesh: mesh === undefined ? undefined : meshIn(mesh) }),
  };
}

/** Finds the inputs of `linkerd:Mirrors` by URN, without code and secrets. */
export function mirrorsIn(resources: readonly Resource[]): ReadonlyMap<string, Inputs> {
  const found = inputsOf(resources, mirrorsTypes).flatMap(([urn, inputs]) =>
    isWhole(inputs) ? [[urn, withWholeLinks(inputs)] as const] : [],
  );
  return new Map(found);
}

function inputsOf(resources: readonly Resource[], types: readonly string[]) {
  return resources.flatMap(({ type = "", urn = "", delete: isReplaced, inputs = {} }) => {
    const { __provider: _, kubeconfigs: _secret, ...rest } = inputs;
    return types.includes(type) && isReplaced !== true ? [[urn, rest] as const] : [];
  });
}

function resourcesIn(exported: string): readonly Resource[] {
  const { deployment } = JSON.parse(exported) as {
    readonly deployment?: { readonly resources?: readonly Resource[] };
  };
  return deployment?.resources ?? [];
}

/** A resource whose first run failed early may have less. */
function isWhole(inputs: Readonly<Record<string, unknown>>): inputs is Inputs & typeof inputs {
  const { source, stack, clusters, links } = inputs;
  const isNamed = typeof source === "string" && typeof stack === "string";
  return isNamed && typeof clusters === "object" && Array.isArray(links);
}
