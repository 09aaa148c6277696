import { chartKeys, chartNames, charts as chartsSection } from "../keys/chart-keys.ts";
import { mustBe, quoted, where } from "../read/mistakes.ts";
import type { Readings } from "../read/read.ts";
import { filled } from "../keys/schema.ts";

/**
 * Digests need a source whose charts are compared: Helm takes whatever an https repository returns and doesn't check
 * the digest in the repository's index (helm v3.20.2, pkg/repo/chartrepo.go, pkg/downloader/chart_downloader.go).
 */
export function digests({ stack: { values, wrong } }: Readings): string[] {
  const charts = filled(chartsSection.keys, values.charts);
  if (charts.digests === undefined || wrong.has("charts")) return [];
  const [uncompared] = chartNames.flatMap((chart) => {
    const name = chartKeys[chart];
    const { repository } = charts[name];
    const source = repository ?? charts.source;
    const path = repository === undefined ? ["charts", "source"] : ["charts", name, "repository"];
    return source.startsWith("https://") ? [{ source, path }] : [];
  });
  if (uncompared === undefined) return [];
  const key = uncompared.path.join(".");
  const state = `is set, but ${where(uncompared.path)} is ${quoted(uncompared.source)}, and Helm compares no chart of an https repository with a digest`;
  const rule = `left out, or ${key} must be an oci:// address or a folder with the archives that helm pull makes`;
  return [mustBe(["charts", "digests"], state, rule)];
}
