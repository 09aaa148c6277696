import { deepEqual, equal, ok, throws } from "node:assert/strict";
import * as z from "zod";

import type { WatchEvent } from "../../../engine/watch/events.ts";
import { watchMetrics } from "../../../engine/watch/metrics.ts";
import { samplesIn } from "../watch/exposition.ts";
import { documents, text } from "./files.ts";
import { parseQuery } from "./promql.ts";

const rules = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: z.string(),
      rules: z.array(
        z.strictObject({
          alert: z.string(),
          expr: z.string(),
          for: z.string().optional(),
          labels: z.strictObject({ severity: z.enum(["warning", "critical"]) }),
          annotations: z.strictObject({ summary: z.string() }),
        }),
      ),
    }),
  ),
});

const dashboard = z.looseObject({
  templating: z.object({ list: z.array(z.looseObject({ name: z.string(), query: z.string() })) }),
  panels: z.array(
    z.looseObject({
      id: z.number(),
      title: z.string(),
      gridPos: z.strictObject({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
      targets: z.array(z.looseObject({ expr: z.string(), legendFormat: z.string() })),
    }),
  ),
});

/** What makes every metric have a value. */
const everything: readonly WatchEvent[] = [
  { event: "clusterAdded", cluster: "east", kinds: ["services"] },
  {
    ...{ event: "dryRun", milliseconds: 1 },
    sources: [
      {
        ...{ source: "east", status: "inSync", refusals: [], unreachable: {} },
        parts: { west: { mirrors: 1, notMirrored: 0 } },
      },
    ],
  },
  { event: "expiries", certificates: { "the trust anchor": "2036-01-01T00:00:00Z" } },
];

/** Labels that Prometheus adds to what it scrapes. */
const ofTargets = ["instance", "job"];

const alerts = rules
  .parse(documents("watch/alerts.yaml")[0])
  .groups.flatMap((group) => group.rules);
const { panels, templating } = dashboard.parse(JSON.parse(text("watch/dashboard.json")));

/** Expressions, each with the labels that its texts name. */
const used = [
  ...alerts.map(({ alert, expr, annotations: { summary } }) => ({
    ...{ where: alert, expr },
    labels: [...summary.matchAll(/\$labels\.(\w+)/g)].map(([, label = ""]) => label),
  })),
  ...panels.flatMap(({ title, targets }) =>
    targets.map(({ expr, legendFormat }) => ({
      ...{ where: title, expr },
      labels: [...legendFormat.matchAll(/{{\s*(\w+)\s*}}/g)].map(([, label = ""]) => label),
    })),
  ),
];

describe("examples: alerts and dashboard of the watch", () => {
  /** Names, each with its labels. */
  const exported = new Map<string, Set<string>>();

  before(async () => {
    const metrics = watchMetrics(600_000);
    for (const event of everything) metrics.observe(event);
    for (const { name, labels } of samplesIn(await metrics.text()))
      exported.set(name, new Set([...(exported.get(name) ?? ofTargets), ...Object.keys(labels)]));
  });

  /** What it asks for and nothing has. */
  function mistakesIn(expr: string, named: readonly string[]): string[] {
    const { selectors, grouping } = parseQuery(expr);
    const unknown = selectors.flatMap(({ metric, labels }) => {
      const known = exported.get(metric);
      if (known === undefined) return [metric];
      return labels.filter((label) => !known.has(label)).map((label) => `${metric}{${label}}`);
    });
    const all = new Set(selectors.flatMap(({ metric }) => [...(exported.get(metric) ?? [])]));
    const lost = [...grouping, ...named].filter((label) => !all.has(label));
    // A sum has the labels that it is made by, and no others.
    const isGrouped = /\bby \(/.test(expr);
    const gone = isGrouped ? named.filter((label) => !grouping.includes(label)) : [];
    return [...unknown, ...lost, ...gone];
  }

  it("ask for metrics and labels that there are", () => {
    deepEqual(
      used
        .map(({ where, expr, labels }) => ({ where, mistakes: mistakesIn(expr, labels) }))
        .filter(({ mistakes }) => mistakes.length > 0),
      [],
    );
    equal(alerts.length, 12);
    ok(panels.length >= 12);
  });

  it("would be told if they did not", () => {
    const wrong = [
      'sum(rate(linkerd_multicluster_runs[5m])) by (result) > 1 and on (instance) up{job="x"}',
      'linkerd_multicluster_state{stat="x"} == 1',
      "sum by (cluster) (linkerd_multicluster_runs_total)",
      "linkerd_multicluster_mirrors unless linkerd_multicluster_mirror",
    ];
    deepEqual(
      wrong.map((expr) => mistakesIn(expr, [])),
      [
        ["linkerd_multicluster_runs", "up", "result", "instance"],
        ["linkerd_multicluster_state{stat}"],
        ["cluster"],
        ["linkerd_multicluster_mirror"],
      ],
    );
    deepEqual(mistakesIn("sum by (command) (linkerd_multicluster_runs_total)", ["result"]), [
      "result",
    ]);
    throws(() => parseQuery("a{b}"), /not a matcher/);
    throws(() => parseQuery("a ? b"), /can't read/);
  });

  it("name alerts and panels once, and leave no metric of the watch out", () => {
    for (const names of [alerts.map(({ alert }) => alert), panels.map(({ title }) => title)])
      equal(new Set(names).size, names.length);
    const asked = new Set(used.flatMap(({ expr }) => metricsOf(expr)));
    const own = [...exported.keys()]
      .filter((name) => name.startsWith("linkerd_multicluster_"))
      .map(baseOf);
    // When the last run was is for a person to ask.
    const left = [...new Set(own)].filter((name) => !asked.has(name));
    deepEqual(left, ["linkerd_multicluster_last_run_timestamp_seconds"]);
  });

  it("has panels beside each other, and a variable for each that is used", () => {
    const places = panels.map(({ gridPos: { x, y, w } }) => {
      ok(x + w <= 24);
      return `${x} ${y}`;
    });
    equal(new Set(places).size, panels.length);
    const names = templating.list.map(({ name }) => name);
    const asked = [...text("watch/dashboard.json").matchAll(/\$\{?([a-z]\w*)/g)];
    deepEqual(new Set(asked.map(([, name]) => name)), new Set(names));
    for (const { query } of templating.list) {
      const [, metric, label] = /^label_values\((\w+), (\w+)\)$/.exec(query) ?? [];
      if (metric !== undefined) ok(exported.get(metric)?.has(label ?? ""), query);
    }
  });

  it("are told of in docs/reference/metrics.md, each metric with its labels", () => {
    const rows = [
      ...text("../docs/reference/metrics.md").matchAll(
        /^\| `(linkerd_multicluster_\w+)` +\|([^|]+)\|/gm,
      ),
    ];
    const documented = rows.map(([, name = "", labels = ""]) => [name, wordsIn(labels)] as const);
    const own = [...exported]
      .filter(([name]) => name.startsWith("linkerd_multicluster_"))
      .filter(([name]) => !/_(sum|count)$/.test(name))
      .map(([name, labels]) => {
        const named = [...labels].filter((label) => ![...ofTargets, "le"].includes(label));
        return [baseOf(name), named.sort()] as const;
      });
    const sorted = (all: readonly (readonly [string, readonly string[]])[]) =>
      all.map(([name, labels]) => `${name} ${labels.join(" ")}`).sort();
    deepEqual(sorted(documented), sorted(own));
  });
});

function metricsOf(expr: string): string[] {
  return parseQuery(expr).selectors.map(({ metric }) => baseOf(metric));
}

/** Of a histogram's series. */
function baseOf(name: string): string {
  return name.replace(/_(bucket|sum|count)$/, "");
}

function wordsIn(cell: string): string[] {
  return [...cell.matchAll(/`(\w+)`/g)].map(([, word = ""]) => word).sort();
}
