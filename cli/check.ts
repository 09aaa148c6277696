import { checkMesh, type HealthReport, reportTable } from "@linkerd-multicluster/engine/health";
import { meshOf } from "../config/stack-file.ts";
import { exitCode, type Format, written } from "./output.ts";
import {
  type Chosen,
  noStacks,
  onlyStack,
  registeredStacks,
  type StackOptions,
  stacksFor,
  stacksVariable,
} from "./stacks.ts";
import { messageOf } from "@linkerd-multicluster/engine/kubernetes";

export interface CheckOptions extends StackOptions {
  readonly output: Format;
  /** In milliseconds. */
  readonly wait: number;
  /** Only Linkerd's CLI sets it, when it runs the checks of its extensions. */
  readonly linkerdNamespace?: string;
  readonly kubeconfig?: string;
}

/** Checks the mesh of a stack and prints the report; for Linkerd's CLI those of all stacks in its format. */
export async function check(options: CheckOptions): Promise<void> {
  const { output, wait, linkerdNamespace, kubeconfig } = options;
  if (linkerdNamespace !== undefined) {
    // The contexts of stacks are in the kubeconfig that Linkerd uses.
    if (kubeconfig !== undefined) process.env["KUBECONFIG"] = kubeconfig;
    process.stdout.write(`${JSON.stringify(await forLinkerd(process.env))}\n`);
    return;
  }
  const report = await reportOf(onlyStack(stacksFor(options, process.cwd(), process.env)), wait);
  process.stdout.write(written(report, output, () => reportTable(report)));
  if (!report.healthy) process.exitCode = exitCode.problems;
}

async function reportOf({ folder, ...choice }: Chosen, wait: number): Promise<HealthReport> {
  const mesh = await meshOf(choice, folder, process.env);
  return checkMesh(mesh, { within: wait, every: 2_000 });
}

/** The output that `linkerd check` expects of an extension (CheckOutput in pkg/healthcheck of linkerd2). */
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
  /** Never empty: otherwise Linkerd takes it for no error. */
  readonly error?: string;
  /** A URL. */
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
      return linkerdCategories(await reportOf(each, 0), name);
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

/** Findings shown for one check. */
const most = 10;

/** A report in the format of Linkerd's checks, without skipped ones. */
export function linkerdCategories({ groups }: HealthReport, of = ""): LinkerdCategory[] {
  return groups.map(({ kind, name, checks }) => ({
    categoryName: `linkerd-clusters: ${kind} ${name}${of}`,
    checks: checks.flatMap(({ title, result, findings, hint }): LinkerdCheck[] => {
      if (result === "skipped") return [];
      if (result === "ok") return [{ description: title, result: "success" }];
      const sentences = findings.slice(0, most).map(({ sentence }) => sentence);
      const more = findings.length - sentences.length;
      const error = [...sentences, ...(more > 0 ? [`and ${more} more`] : [])].join("\n    ");
      return [{ description: title, result, error, ...(hint !== undefined && { hint }) }];
    }),
  }));
}
