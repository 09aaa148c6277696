import { checkMesh, type HealthReport, reportTable } from "@linkerd-multicluster/engine/health";
import { meshOf } from "../config/stack-file.ts";
import { exitCode, type Format, written } from "./output.ts";
import { type Chosen, NoStack, onlyStack, stacksFor, stacksVariable, type Said } from "./stacks.ts";
import { messageOf } from "@linkerd-multicluster/engine/kubernetes";

export interface CheckOptions extends Said {
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
  const stacks = () => stacksFor(options, process.cwd(), process.env);
  if (linkerdNamespace !== undefined) {
    // Stacks name contexts, of the kubeconfig that Linkerd has been told.
    if (kubeconfig !== undefined) process.env["KUBECONFIG"] = kubeconfig;
    process.stdout.write(`${JSON.stringify(await forLinkerd(stacks))}\n`);
    return;
  }
  const report = await reportOf(onlyStack(stacks()), wait);
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

/** Never rejects. Linkerd waits minutes for what it has installed; what is wrong here is not about to pass. */
async function forLinkerd(stacks: () => readonly Chosen[]): Promise<LinkerdOutput> {
  const description = "a stack of linkerd-multicluster can be checked";
  const about = (name: string, result: "warning" | "error", error: unknown): LinkerdCategory => ({
    categoryName: name,
    checks: [{ description, result, error: messageOf(error) }],
  });
  if (process.env[stacksVariable] === "none") return outputOf([]);
  let chosen: readonly Chosen[];
  try {
    chosen = stacks();
  } catch (error) {
    const result = error instanceof NoStack ? "warning" : "error";
    return outputOf([about("linkerd-clusters", result, error)]);
  }
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
