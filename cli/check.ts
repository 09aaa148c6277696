import { resolve } from "node:path";
import {
  checkMesh,
  type CheckResult,
  findingLines,
  type HealthReport,
  summary,
} from "@linkerd-multicluster/engine/health";
import { messageOf, omitUndefined } from "@linkerd-multicluster/engine/base";
import { meshOf } from "./stack/stack-mesh.ts";
import { type Format, mark, print, shownName } from "./output.ts";
import {
  type Chosen,
  noStacks,
  onlyStack,
  registeredStacks,
  type StackOptions,
  stacksFor,
  stacksVariable,
} from "./stack/stacks.ts";

export interface CheckOptions extends StackOptions {
  /** With `short`, only checks with findings are shown, as by Linkerd's CLI. */
  readonly output: Format | "short";
  /** This and the next are in milliseconds. */
  readonly wait: number;
  readonly timeout?: number;
  readonly all?: boolean;
  /** Only Linkerd's CLI sets these, when it runs the checks of its extensions. */
  readonly linkerdNamespace?: string;
  readonly kubeconfig?: string;
}

/** For Linkerd's CLI, it checks all registered stacks and prints what that expects. */
export async function check(options: CheckOptions): Promise<void> {
  const { output, all, linkerdNamespace, kubeconfig } = options;
  if (linkerdNamespace !== undefined) {
    // The contexts of stacks are in the kubeconfig that Linkerd uses.
    if (kubeconfig !== undefined) process.env["KUBECONFIG"] = resolve(kubeconfig);
    process.stdout.write(`${JSON.stringify(await forLinkerd(process.env))}\n`);
    return;
  }
  const stack = onlyStack(stacksFor(options, process.cwd(), process.env));
  const report = await reportOf(stack, options);
  const [format, shown] =
    output === "short" ? (["table", withFindings(report)] as const) : ([output, report] as const);
  print(report, format, () => checkTable(shown, all), report.healthy);
}

async function reportOf(
  stack: Chosen,
  { wait: within, timeout: requestTimeout }: Pick<CheckOptions, "wait" | "timeout">,
): Promise<HealthReport> {
  const polling = { within, every: 2_000, ...omitUndefined({ requestTimeout }) };
  return checkMesh(await meshOf(stack, process.env), polling);
}

/** The status still counts all checks. */
export function withFindings({ groups, ...report }: HealthReport): HealthReport {
  const left = groups.map((group) => ({
    ...group,
    checks: group.checks.filter(({ findings }) => findings.length > 0),
  }));
  return { ...report, groups: left.filter(({ checks }) => checks.length > 0) };
}

const tones = { ok: "good", warning: "warn", error: "bad", skipped: "dim" } as const;

/** Shows the report as `linkerd check` shows its own, with a line for each check. */
export function checkTable({ groups, healthy, counts }: HealthReport, all = false): string {
  const shown = groups.flatMap(({ kind, name, checks }) => {
    const heading = `${kind} ${shownName(name)}`;
    const own = checks.filter(({ result }) => all || result !== "skipped");
    return [heading, "-".repeat(heading.length), ...own.flatMap(checkLines), ""];
  });
  const hidden = all || counts.skipped === 0 ? "" : "; --all shows what was skipped, and why";
  const status = `Status: ${mark(healthy ? "good" : "bad")} (${summary(counts)}${hidden})`;
  return [...shown, status, ""].join("\n");
}

/** Pages that explain a check call it by its id. */
function checkLines({ id, title, result, why, hint, findings }: CheckResult): string[] {
  const reason = why === undefined ? "" : ` (skipped: ${why})`;
  const help = hint === undefined || findings.length === 0 ? [] : [`see ${hint} for hints`];
  const more = [...findingLines(findings), ...help];
  return [`${mark(tones[result])} ${title} [${id}]${reason}`, ...more.map((text) => `    ${text}`)];
}

/** `linkerd check` expects this output of an extension (CheckOutput in pkg/healthcheck of linkerd2). */
interface LinkerdOutput {
  readonly success: boolean;
  readonly categories: readonly LinkerdCategory[];
}

interface LinkerdCategory {
  readonly categoryName: string;
  readonly checks: readonly LinkerdCheck[];
}

interface LinkerdCheck {
  readonly description: string;
  readonly result: "success" | "warning" | "error";
  /** The text is never empty, because Linkerd would take that for no error. */
  readonly error?: string;
  readonly hint?: string;
}

/**
 * Checks the stacks that the user registered, and never rejects. It ignores a stack in the current folder: that may be
 * anyone's, and its kubeconfig can name a program to run. It ignores Linkerd's own waiting time too, which is meant for
 * a new installation.
 */
export async function forLinkerd(variables: NodeJS.ProcessEnv): Promise<LinkerdOutput> {
  const description = "linkerd-multicluster can check its stacks";
  const about = (name: string, result: "warning" | "error", error: unknown): LinkerdCategory => ({
    categoryName: name,
    checks: [{ description, result, error: messageOf(error) }],
  });
  if (variables[stacksVariable] === "none") return outputOf([]);
  let chosen: readonly Chosen[];
  try {
    chosen = registeredStacks(variables);
  } catch (error) {
    return outputOf([about("linkerd-clusters", "error", error)]);
  }
  if (chosen.length === 0)
    return outputOf([about("linkerd-clusters", "warning", noStacks(variables))]);
  const categories = chosen.map(async (each) => {
    const name = chosen.length === 1 ? "" : ` of ${each.stack ?? ""}@${each.folder}`;
    try {
      return linkerdCategories(await reportOf(each, { wait: 0 }), name);
    } catch (error) {
      return [about(`linkerd-clusters${name}`, "error", error)];
    }
  });
  return outputOf((await Promise.all(categories)).flat());
}

function outputOf(categories: readonly LinkerdCategory[]): LinkerdOutput {
  const isBad = categories.some(({ checks }) => checks.some(({ result }) => result === "error"));
  return { success: !isBad, categories };
}

/** Leaves out skipped checks, for which Linkerd's format has no result. */
export function linkerdCategories({ groups }: HealthReport, of = ""): LinkerdCategory[] {
  return groups.map(({ kind, name, checks }) => ({
    categoryName: `linkerd-clusters: ${kind} ${shownName(name)}${of}`,
    checks: checks.flatMap(({ title, result, findings, hint }): LinkerdCheck[] => {
      if (result === "skipped") return [];
      if (result === "ok") return [{ description: title, result: "success" }];
      const error = findingLines(findings).join("\n    ");
      return [{ description: title, result, error, ...omitUndefined({ hint }) }];
    }),
  }));
}
