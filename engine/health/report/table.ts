import { count } from "../../mirroring/plan/text.ts";
import type { CheckResult, Group, Report, Result } from "./report.ts";

/** More than these say no more; `--output json` has them all. */
const shown = 10;

const marks: Readonly<Record<Result, string>> = { ok: "√", warning: "‼", error: "×", skipped: "-" };

/** The report as `linkerd check` prints its own: a line for each check, by cluster and by link. */
export function table(report: Report): string {
  return [...report.groups.flatMap(lines), verdict(report), ""].join("\n");
}

function lines({ kind, name, checks }: Group): string[] {
  const heading = `${kind} ${name}`;
  return [heading, "-".repeat(heading.length), ...checks.flatMap(checkLines), ""];
}

function checkLines({ title, result, why, hint, findings }: CheckResult): string[] {
  const reason = why === undefined ? "" : ` (skipped: ${why})`;
  const help = hint === undefined || findings.length === 0 ? [] : [`    see ${hint} for hints`];
  return [`${marks[result]} ${title}${reason}`, ...sentences(findings), ...help];
}

function sentences(findings: CheckResult["findings"]): string[] {
  return cut(findings.map(({ sentence }) => sentence)).map((text) => `    ${text}`);
}

/** As many as anybody reads, and how many more there are. */
export function cut(texts: readonly string[]): readonly string[] {
  const more = texts.length - shown;
  return more > 0 ? [...texts.slice(0, shown), `and ${more} more`] : texts;
}

function verdict({ healthy, counts }: Report): string {
  return `Status: ${healthy ? marks.ok : marks.error} (${summary(counts)})`;
}

/** `8 in order, 1 warning, 3 skipped`. */
export function summary({ ok, warning, error, skipped }: Report["counts"]): string {
  return [
    `${ok} in order`,
    ...(error > 0 ? [count(error, "error")] : []),
    ...(warning > 0 ? [count(warning, "warning")] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ].join(", ");
}
