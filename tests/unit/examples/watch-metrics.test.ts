import { deepEqual, equal } from "node:assert/strict";

import type { WatchEvent } from "../../../tool/watch/events.ts";
import { watchMetrics } from "../../../tool/watch/metrics.ts";
import { documents, text } from "./files.ts";

/** What makes every metric have a value. */
const everything: readonly WatchEvent[] = [
  { event: "clusterAdded", cluster: "east", kinds: ["services"] },
  {
    ...{ event: "dryRun", milliseconds: 1 },
    sources: [
      {
        ...{ source: "east", status: "inSync", refusals: [], unreachable: {} },
        parts: { west: { mirrors: 1, notMirrored: 0 } },
        gateways: { west: true },
      },
    ],
  },
  { event: "expiries", certificates: { "the trust anchor": "2036-01-01T00:00:00Z" } },
];

/** Labels that Prometheus adds to what it scrapes, and that of a histogram's series. */
const ofOthers = ["instance", "job", "le"];

describe("examples: alerts and dashboard of the watch", () => {
  /** Names, each with its labels. */
  const exported = new Map<string, Set<string>>();

  before(async () => {
    const metrics = watchMetrics(600_000);
    for (const event of everything) metrics.observe(event);
    const samples = (await metrics.text()).matchAll(/^(\w+)(\{.*\})? \S+$/gm);
    for (const [, name = "", labels = ""] of samples) {
      const found = [...labels.matchAll(/[{,](\w+)="/g)].map(([, label = ""]) => label);
      exported.set(name, new Set([...(exported.get(name) ?? []), ...found]));
    }
  });

  for (const path of ["alerts.yaml", "dashboard.json"])
    it(`${path} can be read, and asks for metrics and labels that there are`, () => {
      equal(documents(`watch/${path}`).length, 1);
      const named = [
        ...text(`watch/${path}`).matchAll(/\b(linkerd_multicluster_\w+)(?:\{([^}]*)\})?/g),
      ];
      const wrong = named.flatMap(([, metric = "", matchers = ""]) => {
        const known = exported.get(metric);
        if (known === undefined) return [metric];
        const labels = [...matchers.matchAll(/(\w+)\s*[=!]~?\s*\\?"/g)].map(([, one = ""]) => one);
        return labels.filter((one) => !known.has(one) && !ofOthers.includes(one));
      });
      deepEqual(wrong, []);
      equal(named.length > 10, true);
    });

  it("docs/reference/metrics.md has each metric with its labels", () => {
    const rows = text("../docs/reference/metrics.md").matchAll(
      /^\| `(linkerd_multicluster_\w+)` +\|([^|]+)\|/gm,
    );
    const documented = [...rows].map(([, name = "", labels = ""]) =>
      [name, ...[...labels.matchAll(/`(\w+)`/g)].map(([, word = ""]) => word).sort()].join(" "),
    );
    const own = [...exported]
      .filter(([name]) => /^linkerd_multicluster_(?!.*_(sum|count)$)/.test(name))
      .map(([name, labels]) => {
        const named = [...labels].filter((label) => !ofOthers.includes(label));
        return [name.replace(/_bucket$/, ""), ...named.sort()].join(" ");
      });
    deepEqual(documented.sort(), own.sort());
  });
});
