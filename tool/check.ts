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
  /** What Linkerd's CLI says when it checks its extensions, and nobody else does. */
  readonly linkerdNamespace?: string;
  readonly kubeconfig?: string;
}

/** Checks the mesh of a stack and prints the report; for Linkerd's CLI those of all stacks, in its form. */
export async function check(options: CheckOptions): Promise<void> {
  const { output, wait, linkerdNamespace, kubeconfig } = options;
  if (linkerdNamespace !== undefined) {
    // Stacks name contexts, of the kubeconfig that Linkerd has been told.
    if (kubeconfig !== undefined) process.env["KUBECONFIG"] = kubeconfig;
    process.stdout.write(`${JSON.stringify(await forLinkerd(process.env))}\n`);
    return;
  }
  const report = await reportOf(onlyStack(stacksFor(options, process.cwd(), process.env)), wait);
  process.stdout.write(written(report, output, () => reportTable(report)));
  if (!report.healthy) process.exitCode = exitCode.notInOrder;
}

async function reportOf({ folder, ...choice }: Chosen, wait: number): Promise<HealthReport> {
  const mesh = await meshOf(choice, folder, process.env);
  return checkMesh(mesh, { within: wait, every: 2_000 });
}

/** What `linkerd check` reads of an extension (CheckOutput in pkg/healthcheck of linkerd2). */
export interface LinkerdOutput {
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
  /** Never empty: by it Linkerd tells that there is one. */
  readonly error?: string;
  /** A URL. */
  readonly hint?: string;
}

/**
 * Never rejects. Linkerd waits minutes for what it has installed; what is wrong here is not about to pass. Of stacks it
 * knows those that the user has registered: one in the folder where somebody runs Linkerd's check may be anyone's, and
 * its kubeconfig can name a program to run.
 */
export async function forLinkerd(variables: NodeJS.ProcessEnv): Promise<LinkerdOutput> {
  const description = "a stack of linkerd-multicluster can be checked";
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

/** Findings of one check that Linkerd's reportTable has room for. */
const most = 10;

/** A report as Linkerd knows checks, which has none that are skipped. */
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
