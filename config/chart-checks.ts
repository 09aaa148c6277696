import { charts } from "./keys.ts";
import { quoted, sentence, where } from "./mistakes.ts";
import type { Readings } from "./read.ts";
import { defaultsOf } from "./schema.ts";

/**
 * Digests need a source whose charts somebody compares: Helm takes from an https repository whatever
 * it gets, and reads the digest in the repository's index for nothing (helm v3.20.2,
 * pkg/repo/chartrepo.go, pkg/downloader/chart_downloader.go).
 */
export function chartDigests({ stack: { values, wrong } }: Readings): string[] {
  if (values.charts?.digests === undefined || wrong.has("charts")) return [];
  const { source } = { ...defaultsOf(charts.keys), ...values.charts };
  if (!source.startsWith("https://")) return [];
  const state = `is set, but ${where(["charts", "source"])} is ${quoted(source)}, and Helm compares no chart of an https repository with a digest`;
  const rule =
    "it must be left out, or charts.source must be an oci:// address or a folder with the archives that helm pull makes";
  return [sentence(["charts", "digests"], state, rule)];
}
