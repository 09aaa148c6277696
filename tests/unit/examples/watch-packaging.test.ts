import { deepEqual, equal, match, ok } from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join, matchesGlob } from "node:path";
import * as z from "zod";

import { watchOptions } from "../tool/options.ts";
import { configOf, documents, folder, text } from "./files.ts";
import { manifestOf } from "../supply/lockfile.ts";

const root = join(folder, "..");
const dockerfile = text("watch/Dockerfile");

const container = z.looseObject({
  args: z.array(z.string()),
  ports: z.tuple([z.looseObject({ containerPort: z.number() })]),
});
const deployment = z.looseObject({
  kind: z.literal("Deployment"),
  spec: z.looseObject({
    // Two watches would run Pulumi against each other.
    replicas: z.literal(1),
    strategy: z.strictObject({ type: z.literal("Recreate") }),
    template: z.looseObject({
      spec: z.looseObject({
        terminationGracePeriodSeconds: z.number(),
        containers: z.tuple([container]),
      }),
    }),
  }),
});

/** Seconds that the longest step of a run may take: a chart that does not become ready. */
const longestStep = configOf("federated").charts.timeoutSeconds;

describe("examples: the watch under systemd", () => {
  const unit = text("watch/linkerd-multicluster-watch@.service");
  const valueOf = (key: string) => new RegExp(`^${key}=(.*)$`, "m").exec(unit)?.[1] ?? "";

  it("is started with options that it has, by a file that there is", async () => {
    const [, entry = "", command, words = ""] =
      /^\/usr\/bin\/env node (\S+) (watch) (.*)$/.exec(valueOf("ExecStart")) ?? [];
    ok(existsSync(join(root, entry)));
    equal(command, "watch");
    const options = await watchOptions(words.split(" "));
    deepEqual([options.stack, options.output, options.listen?.host], ["%i", "json", "127.0.0.1"]);
  });

  it("ends well, is started again, and keeps its records", () => {
    equal(valueOf("KillMode"), "mixed");
    equal(valueOf("Restart"), "on-failure");
    ok(Number(valueOf("TimeoutStopSec")) > longestStep);
    match(unit, /^Environment=XDG_STATE_HOME=%S\/linkerd-multicluster$/m);
    equal(valueOf("StateDirectory"), "linkerd-multicluster");
  });
});

it("examples: the watch as a Deployment is alone, has options that there are, and time to end its run", async () => {
  const [found] = documents("watch/kubernetes.yaml").flatMap(
    (each) => deployment.safeParse(each).data ?? [],
  );
  const pod = found?.spec.template.spec;
  ok(pod);
  const [{ args, ports }] = pod.containers;
  const { stack, output, listen } = await watchOptions(args);
  // The kubelet comes from outside of the pod.
  const at = { host: "0.0.0.0", port: ports[0].containerPort };
  deepEqual([stack, output, listen], ["prod", "json", at]);
  ok(pod.terminationGracePeriodSeconds > longestStep);
});

describe("examples: the image of the watch", () => {
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths = ""]) =>
    paths.split(" "),
  );

  it("has all of the program that the watch and its runs need, and what there is", () => {
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
