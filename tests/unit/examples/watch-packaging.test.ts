import { deepEqual, equal, match, ok } from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join, matchesGlob } from "node:path";
import * as z from "zod";

import { watchOptions } from "../tool/options.ts";
import { configOf, documents, folder, text } from "./files.ts";
import { manifestOf } from "../supply/lockfile.ts";

const root = join(folder, "..");
const dockerfile = text("watch/Dockerfile");

const named = z.looseObject({ name: z.string() });
const probe = z.looseObject({ httpGet: z.looseObject({ path: z.string() }) });

const deployment = z.looseObject({
  kind: z.literal("Deployment"),
  spec: z.looseObject({
    // Two watches would run Pulumi against each other.
    replicas: z.literal(1),
    strategy: z.strictObject({ type: z.literal("Recreate") }),
    template: z.looseObject({
      spec: z.looseObject({
        terminationGracePeriodSeconds: z.number(),
        containers: z.tuple([
          z.looseObject({
            args: z.array(z.string()),
            env: z.array(named.extend({ value: z.string() })),
            ports: z.tuple([named.extend({ containerPort: z.number() })]),
            readinessProbe: probe,
            livenessProbe: probe,
            volumeMounts: z.array(named.extend({ mountPath: z.string() })),
          }),
        ]),
        volumes: z.array(named),
      }),
    }),
  }),
});

const { spec } = documents("watch/kubernetes.yaml")
  .flatMap((each) => deployment.safeParse(each).data ?? [])
  .reduce((_, each) => each);
const pod = spec.template.spec;
const [container] = pod.containers;

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

describe("examples: the watch as a Deployment", () => {
  it("is started with options that it has, and serves where its probes ask", async () => {
    const options = await watchOptions(container.args);
    deepEqual([options.stack, options.output], ["prod", "json"]);
    const [{ containerPort: port }] = container.ports;
    // The kubelet comes from outside of the pod.
    deepEqual(options.listen, { host: "0.0.0.0", port });
    equal(container.readinessProbe.httpGet.path, "/readyz");
    equal(container.livenessProbe.httpGet.path, "/livez");
  });

  it("has time to end its run, and keeps its records where it may write", () => {
    ok(pod.terminationGracePeriodSeconds > longestStep);
    const valueOf = (name: string) => container.env.find((each) => each.name === name)?.value ?? "";
    const mounts = container.volumeMounts.map(({ mountPath }) => mountPath);
    for (const name of ["XDG_STATE_HOME", "PULUMI_HOME", "KUBECONFIG"])
      ok(
        mounts.some((path) => valueOf(name) === path || valueOf(name).startsWith(`${path}/`)),
        name,
      );
    ok(mounts.includes("/tmp"));
    deepEqual(
      container.volumeMounts.map(({ name }) => name).sort(),
      pod.volumes.map(({ name }) => name).sort(),
    );
  });
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
    equal(/^FROM node:([\d.]+)-/m.exec(dockerfile)?.[1], devDependencies["node"]);
    const plugins = dockerfile.matchAll(/plugin install resource (\w+) (\S+)/g);
    deepEqual(
      Object.fromEntries(
        [...plugins].map(([, name = "", version]) => [`@pulumi/${name}`, version]),
      ),
      Object.fromEntries(
        Object.entries(dependencies).filter(([name]) => /^@pulumi\/(?!pulumi$)/.test(name)),
      ),
    );
  });
});
