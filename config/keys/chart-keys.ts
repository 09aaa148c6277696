import * as z from "zod";
import { optional, required, section, wholeNumber, withDefault } from "./schema.ts";
import * as syntax from "./syntax.ts";

const helmValuesOf = (whose: string) =>
  withDefault(
    z.record(z.string(), z.unknown(), { error: "a map of Helm values" }),
    {},
    `Helm values of ${whose} chart`,
  );

/** The charts in the order of installation: each needs the one before it. */
export const chartValues = section("a cluster's values", {
  "linkerd-crds": helmValuesOf("the CRDs'"),
  "linkerd-control-plane": helmValuesOf("the control plane's"),
  "linkerd-multicluster": helmValuesOf("the multicluster extension's"),
});

export type ChartName = keyof typeof chartValues.keys;

export const chartNames = Object.keys(chartValues.keys) as readonly ChartName[];

const digestOf = (chart: string) => required(syntax.digest, `digest of the chart \`${chart}\``);

/** Digests are set for all charts or none; a chart without one would bypass those of the others. */
export const digests = section("the charts' digests", {
  "linkerd-crds": digestOf("linkerd-crds"),
  "linkerd-control-plane": digestOf("linkerd-control-plane"),
  "linkerd-multicluster": digestOf("linkerd-multicluster"),
});

/** These keys of the charts in `charts` are words that every language of the Pulumi package takes as names. */
export const chartKeys = {
  "linkerd-crds": "crds",
  "linkerd-control-plane": "controlPlane",
  "linkerd-multicluster": "multicluster",
} as const satisfies Record<ChartName, string>;

/** These settings differ from one chart to the next, which Buoyant Enterprise for Linkerd needs. */
export const chart = section("a chart", {
  name: optional(
    syntax.oneLine("the name of a chart"),
    "that of Linkerd's own chart",
    "its name in the repository, such as `linkerd-enterprise-control-plane`",
  ),
  repository: optional(
    syntax.chartSource,
    "`charts.source`",
    "where it comes from, if not from `charts.source`",
  ),
  version: optional(
    syntax.chartVersion,
    "`charts.version`",
    "its version, if not `charts.version`",
  ),
  nested: optional(
    syntax.oneLine("the name of a nested chart"),
    "not nested",
    "name of Linkerd's own chart within it: this program's values and those of `clusters.<name>.values` go under this key",
  ),
  values: withDefault(
    z.record(z.string(), z.unknown(), { error: "a map of Helm values" }),
    {},
    "Helm values for every cluster, such as a license: set secret ones with `pulumi config set --secret --path`; they are encrypted in state",
    { confidential: true },
  ),
});

const chartOf = (what: string) =>
  withDefault(chart.schema, {}, `settings of ${what} chart that differ from those of the others`, {
    of: chart,
  });

/**
 * No other place names a version of Linkerd: release edge-26.8.3, with whose service mirror this project's
 * behaviour is compared. The charts of an edge release are versioned by its date.
 */
export const charts = section("charts", {
  version: withDefault(syntax.chartVersion, "2026.8.3", "version of the three charts"),
  source: withDefault(
    syntax.chartSource,
    "https://helm.linkerd.io/edge",
    "a Helm repository, an `oci://` address, or a local folder that holds each chart as a folder or an archive",
  ),
  timeoutSeconds: withDefault(
    wholeNumber("a positive whole number of seconds"),
    600,
    "how many seconds to wait for each chart to become ready",
  ),
  digests: optional(
    digests.schema,
    "not compared",
    "by chart, the only digest that is installed, as `sha256:<64 hexadecimal digits>`: of its archive in a local folder, or of its manifest at an `oci://` address",
    { of: digests },
  ),
  crds: chartOf("the CRDs'"),
  controlPlane: chartOf("the control plane's"),
  multicluster: chartOf("the multicluster extension's"),
});
