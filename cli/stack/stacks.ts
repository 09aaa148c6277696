import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { omitUndefined, UserError } from "@linkerd-multicluster/engine/base";
import { parse } from "yaml";
import * as z from "zod";
import { project } from "../../config/read/mistakes.ts";
import type { StackChoice } from "../../config/stack-file.ts";

type Variables = Readonly<Record<string, string | undefined>>;

export interface Chosen extends StackChoice {
  readonly folder: string;
}

export interface StackOptions {
  readonly stack?: string | undefined;
  readonly cwd?: string | undefined;
  readonly configFile?: string | undefined;
}

/** `none` makes Linkerd's check skip all stacks. Earlier versions listed stacks in it. */
export const stacksVariable = "LINKERD_CLUSTERS_STACKS";

/** Chooses the stack of the options, else of the current folder, else those in the user's file. @throws UserError */
export function stacksFor(
  { cwd, stack, configFile }: StackOptions,
  started: string,
  variables: Variables,
): Chosen[] {
  const folder = projectFolder(resolve(started, cwd ?? "."));
  const file = configFile === undefined ? undefined : resolve(started, configFile);
  const choice = omitUndefined({ stack, configFile: file });
  const { PULUMI_STACK: named, PULUMI_OPTION_CONFIG_FILE: isFile } = variables;
  const isChosen = [cwd, stack, configFile].some((each) => each !== undefined);
  if (isChosen || named !== undefined || isFile !== undefined || hasStacks(folder))
    return [withSelected({ folder, ...choice }, variables)];
  const registered = registeredStacks(variables);
  if (registered.length > 0) return registered;
  // Another program may have its mesh in its state alone.
  if (existsSync(join(folder, projectFile)))
    return [withSelected({ folder, ...choice }, variables)];
  throw new UserError(
    `No stack selected: set --stack and --cwd, run this in the folder of a stack, or list stacks in ${stacksFile(variables)}.`,
  );
}

export function onlyStack(stacks: readonly Chosen[]): Chosen {
  const [only, ...more] = stacks;
  if (only === undefined || more.length > 0)
    throw new UserError(
      `This command takes one stack: choose with --stack and --cwd among ${stacks.map(({ stack = "", folder }) => `${stack}@${folder}`).join(", ")}.`,
    );
  return only;
}

/** @throws UserError if there is no such folder */
export function requireFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
  throw new UserError(
    `The folder ${folder} of the stack does not exist: correct --cwd, or the list of stacks.`,
  );
}

/** Stacks of other programs in the folder don't count. */
function hasStacks(folder: string): boolean {
  const files = readdirSync(folder).filter((name) => /^Pulumi\.[\w.-]+\.yaml$/.test(name));
  return files.some((name) => readFileSync(join(folder, name), "utf8").includes(`${project}:`));
}

const projectFile = "Pulumi.yaml";

/** Like Pulumi's CLI, it looks for the project in the folders above too. */
function projectFolder(folder: string, above = folder): string {
  if (!existsSync(folder) || existsSync(join(above, projectFile))) return above;
  return above === dirname(above) ? folder : projectFolder(folder, dirname(above));
}

function withSelected(chosen: Chosen, variables: Variables): Chosen {
  const { PULUMI_STACK: named, PULUMI_OPTION_CONFIG_FILE: file } = variables;
  if ((chosen.stack ?? named ?? chosen.configFile ?? file) !== undefined) return chosen;
  const selected = selectedStack(chosen.folder, variables);
  return selected === undefined ? chosen : { ...chosen, stack: selected };
}

const settings = z.looseObject({ stack: z.string().min(1) });
const projectSettings = z.looseObject({ name: z.string() });

/** `pulumi stack select` writes it to a file named after the project and a hash of its path. */
function selectedStack(folder: string, variables: Variables): string | undefined {
  const file = join(folder, projectFile);
  try {
    const { name } = projectSettings.parse(parse(readFileSync(file, "utf8")));
    const hash = createHash("sha1").update(file).digest("hex");
    const home = variables["PULUMI_HOME"] ?? join(homedir(), ".pulumi");
    const noted = join(home, "workspaces", `${name}-${hash}-workspace.json`);
    return basename(settings.parse(JSON.parse(readFileSync(noted, "utf8"))).stack);
  } catch {
    return undefined;
  }
}

const list = z.array(z.strictObject({ stack: z.string().min(1), cwd: z.string().min(1) }));

/** Reads the stacks in the user's file. @throws UserError */
export function registeredStacks(variables: Variables): Chosen[] {
  const file = stacksFile(variables);
  if (![undefined, "", "none"].includes(variables[stacksVariable]))
    throw new UserError(`${stacksVariable} has been removed: list the stacks in ${file}.`);
  if (!existsSync(file)) return [];
  const parsed = list.safeParse(parse(readFileSync(file, "utf8")));
  if (!parsed.success)
    throw new UserError(
      `${file} must be a list of stacks, each as { stack: prod, cwd: /srv/mesh }.`,
    );
  return parsed.data.map(({ stack, cwd }) => ({
    stack,
    folder: projectFolder(resolve(dirname(file), cwd)),
  }));
}

export function noStacks(variables: Variables): UserError {
  return new UserError(
    `No stack is registered. List stacks in ${stacksFile(variables)}, each as { stack: prod, cwd: /srv/mesh }.`,
  );
}

function stacksFile({ XDG_CONFIG_HOME: base = "" }: Variables): string {
  const folder = isAbsolute(base) ? base : join(homedir(), ".config");
  return join(folder, "linkerd-multicluster", "stacks.yaml");
}
