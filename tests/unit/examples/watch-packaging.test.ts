import { deepEqual, equal, match, ok } from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join, matchesGlob } from "node:path";
import * as z from "zod";

import { watchOptions } from "../tool/options.ts";
import { configOf, documents, folder, text } from "./files.ts";
import { manifestOf } from "../supply/lockfile.ts";

const root = join(folder, "..");

const container = z.object({
  args: z.array(z.string()),
  ports: z.tuple([z.looseObject({ containerPort: z.number() })]),
});
const pod = z.object({
  terminationGracePeriodSeconds: z.number(),
  containers: z.tuple([container]),
});
const deployment = z.object({
  kind: z.literal("Deployment"),
  spec: z.object({
    // Two watches would run Pulumi against each other.
    ...{ replicas: z.literal(1), strategy: z.strictObject({ type: z.literal("Recreate") }) },
    template: z.object({ spec: pod }),
  }),
});

describe("examples: the watch", () => {
  /** Seconds that the longest step of a run may take: a chart that does not become ready. */
  const longestStep = configOf("federated").charts.timeoutSeconds;

  it("under systemd has options that there are, by a file that there is, and time to end its run", async () => {
    const unit = text("watch/linkerd-multicluster-watch@.service");
    const [, entry = "", words = ""] =
      /^ExecStart=\/usr\/bin\/env node (\S+) watch (.*)$/m.exec(unit) ?? [];
    ok(existsSync(join(root, entry)));
    const { stack, output, listen } = await watchOptions(words.split(" "));
    deepEqual([stack, output, listen?.host], ["%i", "json", "127.0.0.1"]);
    ok(Number(/^TimeoutStopSec=(.*)$/m.exec(unit)?.[1]) > longestStep);
    // Its records are in the unit's own state directory.
    match(unit, /^Environment=XDG_STATE_HOME=%S\/linkerd-multicluster$/m);
    match(unit, /^StateDirectory=linkerd-multicluster$/m);
  });

  it("as a Deployment is alone, has options that there are, and time to end its run", async () => {
    const [found] = documents("watch/kubernetes.yaml").flatMap(
      (each) => deployment.safeParse(each).data?.spec.template.spec ?? [],
    );
    ok(found);
    const [{ args, ports }] = found.containers;
    const { stack, output, listen } = await watchOptions(args);
    // The kubelet comes from outside of the pod.
    const at = { host: "0.0.0.0", port: ports[0].containerPort };
    deepEqual([stack, output, listen], ["prod", "json", at]);
    ok(found.terminationGracePeriodSeconds > longestStep);
  });

  it("as a Deployment is reached by one namespace, at the port of its metrics", () => {
    const named = z.record(z.string(), z.string());
    const policy = z.object({
      kind: z.literal("NetworkPolicy"),
      spec: z.object({
        podSelector: z.object({ matchLabels: named }),
        policyTypes: z.tuple([z.literal("Ingress")]),
        ingress: z.tuple([z.looseObject({ ports: z.tuple([z.object({ port: z.string() })]) })]),
      }),
    });
    const labelled = z.object({
      kind: z.literal("Deployment"),
      spec: z.object({ template: z.object({ metadata: z.object({ labels: named }) }) }),
    });
    const all = documents("watch/kubernetes.yaml");
    const [found] = all.flatMap((each) => policy.safeParse(each).data?.spec ?? []);
    const [pods] = all.flatMap((each) => labelled.safeParse(each).data?.spec.template ?? []);
    deepEqual(found?.podSelector.matchLabels, pods?.metadata.labels);
    equal(found?.ingress[0].ports[0].port, "metrics");
  });
});

describe("examples: the image of the watch", () => {
  const dockerfile = text("watch/Dockerfile");

  it("has all of the program that the watch and its runs need, and what there is", () => {
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(
      ([, paths = ""]) => paths.split(" "),
    );
    const program = ["bin", "components", "config", "engine", "index.ts", "tool"];
    for (const path of [...program, "Pulumi.yaml", "package.json", "package-lock.json", ".npmrc"])
      ok(copied.includes(path) || copied.includes(`${path}/`), path);
    const there = readdirSync(root);
    for (const path of copied)
      ok(existsSync(join(root, path)) || there.some((name) => matchesGlob(name, path)), path);
  });

  it("has the versions that the program is tested with", () => {
    const { dependencies, devDependencies } = manifestOf("");
    equal(/^ARG NODE=node:([\d.]+)-/m.exec(dockerfile)?.[1], devDependencies["node"]);
    const listed = /^ARG PLUGINS="(.*)"$/m.exec(dockerfile)?.[1] ?? "";
    deepEqual(
      Object.fromEntries(listed.split(" ").map((each) => `@pulumi/${each}`.split(/(?<=\w)@/))),
      Object.fromEntries(
        Object.entries(dependencies).filter(([name]) => /^@pulumi\/(?!pulumi$)/.test(name)),
      ),
    );
  });
});
