/**
 * `npm run audit`: known vulnerabilities in what the program needs to run, as the npm registry knows
 * them. Exit code 1 if there are any. Where the registry does not answer, nothing was audited: exit
 * code 0, or 1 with `--required`.
 */
import { spawnSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { plain } from "@linkerd-multicluster/engine/kubernetes";
import * as z from "zod";

const usage = "Usage: npm run audit -- [--required]";

/** What `npm audit --json` prints (npm 10 and 11), as far as it is used. */
const report = z.object({
  vulnerabilities: z.record(
    z.string(),
    z.object({
      severity: z.string(),
      range: z.string(),
      /** Advisories, or names of other packages that have them. */
      via: z.array(z.union([z.string(), z.object({ title: z.string(), url: z.string() })])),
    }),
  ),
  metadata: z.object({ dependencies: z.object({ prod: z.number() }) }),
});

/** What it prints where the registry refuses, has no such service, or is not to be reached. */
const failure = z.object({ message: z.string() });

export type Verdict =
  | { readonly result: "passed" | "failed"; readonly lines: readonly string[] }
  /** Nothing was audited. */
  | { readonly result: "skipped"; readonly why: string };

/** @param output what npm printed on standard output */
export function verdictOf(output: string): Verdict {
  const json = parsed(output);
  const { data } = report.safeParse(json);
  if (data === undefined) {
    const why = failure.safeParse(json).data?.message ?? "npm audit gave no report";
    return { result: "skipped", why: plain(why) };
  }
  const found = Object.entries(data.vulnerabilities);
  if (found.length === 0)
    return {
      result: "passed",
      lines: [`no known vulnerability in ${data.metadata.dependencies.prod} packages`],
    };
  return {
    result: "failed",
    lines: found.map(([name, { severity, range, via }]) => {
      const because = via.map((each) =>
        typeof each === "string" ? `through ${each}` : `${each.title} (${each.url})`,
      );
      return plain(`${name} ${range}, ${severity}: ${because.join("; ")}`);
    }),
  };
}

function parsed(output: string): unknown {
  try {
    return JSON.parse(output);
  } catch {
    return undefined;
  }
}

function main(args: readonly string[]): void {
  const unknown = args.find((arg) => arg !== "--required");
  if (unknown !== undefined) {
    process.stderr.write(`${JSON.stringify(unknown)} is no option. ${usage}\n`);
    process.exitCode = 1;
    return;
  }
  const { stdout } = spawnSync("npm", ["audit", "--omit=dev", "--json", "--fetch-retries=0"], {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    timeout: 120_000,
  });
  const verdict = verdictOf(stdout);
  if (verdict.result === "skipped") {
    process.stdout.write(`audit skipped, nothing was audited: ${verdict.why}\n`);
    process.exitCode = args.includes("--required") ? 1 : 0;
    return;
  }
  process.stdout.write(`audit ${verdict.result}: ${verdict.lines.join("\n  ")}\n`);
  process.exitCode = verdict.result === "failed" ? 1 : 0;
}

// Not when a test imports it.
if (realpathSync(process.argv[1] ?? "") === import.meta.filename) main(process.argv.slice(2));
