import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { plain } from "@linkerd-multicluster/engine/kubernetes";
import * as z from "zod";
import type { RunFact } from "./facts.ts";

/** Bytes that a command may print; a state has a few MB. */
const maxBuffer = 512 * 2 ** 20;

/** A stack as Pulumi's CLI is asked for it. */
export interface StackLocation {
  readonly folder: string;
  /** Absent: the one that Pulumi takes. */
  readonly stack?: string;
  readonly variables: NodeJS.ProcessEnv;
}

/**
 * Runs Pulumi's CLI, for commands that take no lock and write nothing.
 *
 * @returns what it prints
 * @throws Error with a sentence
 */
export async function pulumi(
  words: readonly string[],
  { folder, stack, variables }: StackLocation,
): Promise<string> {
  const named = stack === undefined ? [] : ["--stack", stack];
  const env = { ...variables, PULUMI_SKIP_UPDATE_CHECK: "true", PULUMI_OPTION_COLOR: "never" };
  const options = { cwd: folder, env, maxBuffer };
  const all = [...words, ...named, "--non-interactive"];
  try {
    return (await promisify(execFile)("pulumi", all, options)).stdout;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT")
      throw new Error("there is no pulumi on PATH: install Pulumi's CLI", { cause: error });
    const said = error instanceof Error && "stderr" in error ? String(error.stderr) : String(error);
    const why = plain(said.trim().replace(/^error: /, ""));
    throw new Error(`pulumi ${words.join(" ")} failed: ${why}`, { cause: error });
  }
}

const run = z.looseObject({
  version: z.number().default(0),
  kind: z.string(),
  result: z.string(),
  message: z.string().default(""),
  startTime: z.string(),
  endTime: z.string(),
});

/** The updates of a stack that `pulumi stack history --json` prints, without what may be secret. */
export function runsIn(history: string): readonly RunFact[] {
  return z
    .array(run)
    .parse(JSON.parse(history))
    .map(({ version, kind, result, message, startTime, endTime }) => ({
      ...(version > 0 && { update: version }),
      ...{ kind, result, message: plain(message, 200), startedAt: startTime, endedAt: endTime },
    }));
}

const resources = z.looseObject({
  deployment: z.looseObject({
    resources: z
      .array(z.looseObject({ urn: z.string(), type: z.string(), created: z.string().optional() }))
      .default([]),
  }),
});

/**
 * When the token of each link was made, by `source/target`: by the Secrets in the state that
 * `pulumi stack export` prints, of which a rotation makes a new one before the old one goes.
 */
export function tokensIn(exported: string): ReadonlyMap<string, string> {
  const { deployment } = resources.parse(JSON.parse(exported));
  const tokens = deployment.resources.flatMap(({ urn, type, created }): [string, string][] => {
    const [, link] = /::([^:]+\/[^:/]+)\/token$/.exec(urn) ?? [];
    return type === "kubernetes:core/v1:Secret" && link !== undefined && created !== undefined
      ? [[link, created]]
      : [];
  });
  return new Map(tokens.sort(([, a], [, b]) => (a < b ? -1 : 1)));
}
