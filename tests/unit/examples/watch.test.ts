import { deepEqual, equal, match, ok } from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join, matchesGlob } from "node:path";
import * as z from "zod";

import type { WatchEvent } from "../../../cli/watch/events.ts";
import { watchMetrics } from "../../../cli/watch/metrics.ts";
import { watchOptions } from "../cli/options.ts";
import { configOf, documents, folder, text } from "./files.ts";

const root = join(folder, "..");

/** Events after which every metric has a value. */
const everything: readonly WatchEvent[] = [
  { event: "clusters", kinds: { east: ["services"] } },
  {
    event: "dryRun",
    milliseconds: 1,
    sources: [
      {
        source: "east",
        status: "inSync",
        refusals: [],
        unreachable: {},
        parts: { west: { mirrors: 1, notMirrored: 0 } },
        gateways: { west: true },
      },
    ],
  },
  { event: "expiries", certificates: { "the trust anchor": "2036-01-01T00:00:00Z" } },
];

/** Labels that Prometheus adds to what it scrapes, and the label of a histogram's series. */
const addedLabels = ["instance", "job", "le"];

describe("examples/watch: metrics", () => {
  /** The labels of each metric that the watch exports. */
  const exported = new Map<string, Set<string>>();

  before(async () => {
    const metrics = watchMetrics(600_000);
    for (const event of everything) metrics.observe(event);
    for (const [, name = "", labels = ""] of (await metrics.text()).matchAll(
      /^(\w+)(\{.*\})? \S+$/gm,
    )) {
      const found = [...labels.matchAll(/[{,](\w+)="/g)].map(([, label = ""]) => label);
      exported.set(name, new Set([...(exported.get(name) ?? []), ...found]));
    }
  });

  for (const path of ["alerts.yaml", "dashboard.json"])
    it(`${path} is valid, and uses metrics and labels that exist`, () => {
      equal(documents(`watch/${path}`).length, 1);
      const uses = [
        ...text(`watch/${path}`).matchAll(/\b(linkerd_multicluster_\w+)(?:\{([^}]*)\})?/g),
      ];
      ok(uses.length > 10);
      for (const [use, metric = "", matchers = ""] of uses) {
        const labels = exported.get(metric);
        ok(labels, `there is no metric ${metric}`);
        for (const [, label = ""] of matchers.matchAll(/(\w+)\s*[=!]~?\s*\\?"/g))
          ok(labels.has(label) || addedLabels.includes(label), use);
      }
    });

  it("docs/reference/metrics.md lists each metric with its labels", () => {
    const rows = text("../docs/reference/metrics.md").matchAll(
      /^\| `(linkerd_multicluster_\w+)` +\|([^|]+)\|/gm,
    );
    const documented = [...rows].map(([, name = "", labels = ""]) =>
      [name, ...[...labels.matchAll(/`(\w+)`/g)].map(([, word = ""]) => word).sort()].join(" "),
    );
    const own = [...exported]
      .filter(([name]) => /^linkerd_multicluster_(?!.*_(sum|count)$)/.test(name))
      .map(([name, labels]) => {
        const named = [...labels].filter((label) => !addedLabels.includes(label));
        return [name.replace(/_bucket$/, ""), ...named.sort()].join(" ");
      });
    deepEqual(documented.sort(), own.sort());
  });
});

const labels = z.record(z.string(), z.string());
const deployment = z.object({
  kind: z.literal("Deployment"),
  spec: z.object({
    replicas: z.number(),
    strategy: z.object({ type: z.string() }),
    template: z.object({
      metadata: z.object({ labels }),
      spec: z.object({
        terminationGracePeriodSeconds: z.number(),
        containers: z.tuple([
          z.object({
            args: z.array(z.string()),
            ports: z.tuple([z.object({ name: z.string(), containerPort: z.number() })]),
          }),
        ]),
      }),
    }),
  }),
});
const policy = z.object({
  kind: z.literal("NetworkPolicy"),
  spec: z.object({
    podSelector: z.object({ matchLabels: labels }),
    policyTypes: z.tuple([z.literal("Ingress")]),
    ingress: z.tuple([z.looseObject({ ports: z.tuple([z.object({ port: z.string() })]) })]),
  }),
});

describe("examples/watch: units, manifests and image", () => {
  /** Seconds that the longest step of a run may take: a chart that does not become ready. */
  const longestStep = configOf("federated").charts.timeoutSeconds;

  it("the systemd unit starts an existing file with valid options, and lets a run end", async () => {
    const unit = text("watch/linkerd-multicluster-watch@.service");
    const [, entry = "", words = ""] =
      /^ExecStart=\/usr\/bin\/env node (\S+) watch (.*)$/m.exec(unit) ?? [];
    ok(existsSync(join(root, entry)));
    const { stack, output, listen } = await watchOptions(words.split(" "));
    deepEqual([stack, output, listen?.host], ["%i", "json", "127.0.0.1"]);
    ok(Number(/^TimeoutStopSec=(.*)$/m.exec(unit)?.[1]) > longestStep);
    match(unit, /^Environment=XDG_STATE_HOME=%S\/linkerd-multicluster$/m);
    match(unit, /^StateDirectory=linkerd-multicluster$/m);
  });

  it("the Deployment has one replica with valid options, lets a run end, and is reached at its metrics alone", async () => {
    const all = documents("watch/kubernetes.yaml");
    const [found] = all.flatMap((each) => deployment.safeParse(each).data?.spec ?? []);
    ok(found);
    // Two watches would run Pulumi against each other.
    deepEqual([found.replicas, found.strategy.type], [1, "Recreate"]);
    const { metadata, spec } = found.template;
    const [{ args, ports }] = spec.containers;
    const { stack, output, listen } = await watchOptions(args);
    // The kubelet connects from outside the pod.
    const at = { host: "0.0.0.0", port: ports[0].containerPort };
    deepEqual([stack, output, listen], ["prod", "json", at]);
    ok(spec.terminationGracePeriodSeconds > longestStep);
    const [allowed] = all.flatMap((each) => policy.safeParse(each).data?.spec ?? []);
    ok(allowed);
    deepEqual(allowed.podSelector.matchLabels, metadata.labels);
    deepEqual([allowed.ingress[0].ports[0].port, ports[0].name], ["metrics", "metrics"]);
  });

  it("the image has every file that the watch and its runs need, and the tested versions", () => {
    const dockerfile = text("watch/Dockerfile");
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(
      ([, paths = ""]) => paths.split(" "),
    );
    const program = ["cli", "components", "config", "engine", "index.ts"];
    for (const path of [...program, "Pulumi.yaml", "package.json", "package-lock.json", ".npmrc"])
      ok(copied.includes(path) || copied.includes(`${path}/`), path);
    const files = readdirSync(root);
    for (const path of copied)
      ok(existsSync(join(root, path)) || files.some((name) => matchesGlob(name, path)), path);
    const { dependencies, devDependencies } = z
      .object({ dependencies: labels, devDependencies: labels })
      .parse(JSON.parse(text("../package.json")));
    equal(/^ARG NODE=node:([\d.]+)-/m.exec(dockerfile)?.[1], devDependencies["node"]);
    const plugins = Object.entries(dependencies)
      .filter(([name]) => /^@pulumi\/(?!pulumi$)/.test(name))
      .map(([name, version]) => `${name.replace("@pulumi/", "")}@${version}`);
    equal(/^ARG PLUGINS="(.*)"$/m.exec(dockerfile)?.[1], plugins.join(" "));
  });
});
