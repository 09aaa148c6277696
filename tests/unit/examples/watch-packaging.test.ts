import { deepEqual, equal, match, ok } from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join, matchesGlob } from "node:path";
import * as z from "zod";

import { optionsIn } from "../../../bin/watch.ts";
import { configOf, documents, filesIn, folder, text } from "./files.ts";
import { manifestOf } from "../supply/lockfile.ts";

const root = join(folder, "..");
const dockerfile = text("watch/Dockerfile");

const deployment = z.looseObject({
  kind: z.literal("Deployment"),
  metadata: z.object({ namespace: z.string() }),
  spec: z.looseObject({
    replicas: z.literal(1),
    strategy: z.strictObject({ type: z.literal("Recreate") }),
    template: z.looseObject({
      spec: z.looseObject({
        serviceAccountName: z.string(),
        automountServiceAccountToken: z.literal(false),
        hostname: z.string(),
        terminationGracePeriodSeconds: z.number(),
        containers: z.tuple([
          z.looseObject({
            args: z.array(z.string()),
            env: z.array(z.strictObject({ name: z.string(), value: z.string() })),
            ports: z.tuple([z.strictObject({ name: z.string(), containerPort: z.number() })]),
            readinessProbe: z.looseObject({ httpGet: z.looseObject({ path: z.string() }) }),
            livenessProbe: z.looseObject({ httpGet: z.looseObject({ path: z.string() }) }),
            securityContext: z.looseObject({ readOnlyRootFilesystem: z.literal(true) }),
            volumeMounts: z.array(z.looseObject({ name: z.string(), mountPath: z.string() })),
          }),
        ]),
        volumes: z.array(z.looseObject({ name: z.string() })),
      }),
    }),
  }),
});

const objects = documents("watch/kubernetes.yaml").map((each) =>
  z.looseObject({ kind: z.string() }).parse(each),
);
const { spec } = deployment.parse(objects.find(({ kind }) => kind === "Deployment"));
const pod = spec.template.spec;
const [container] = pod.containers;

/** Seconds that the longest step of a run may take: a chart that does not become ready. */
const longestStep = configOf("federated").charts.timeoutSeconds;

describe("examples: the watch under systemd", () => {
  const unit = text("watch/linkerd-multicluster-watch@.service");
  const valueOf = (key: string) => new RegExp(`^${key}=(.*)$`, "m").exec(unit)?.[1] ?? "";

  it("is started with options that it has, by files that there are", () => {
    const [, entry = "", program = "", words = ""] =
      /^\/usr\/bin\/env node (\S+) (\S+) (.*)$/.exec(valueOf("ExecStart")) ?? [];
    ok(existsSync(join(root, entry)) && existsSync(join(root, program)));
    const options = optionsIn(words.split(" "));
    deepEqual([options.stack, options.output, options.listen?.host], ["%i", "json", "127.0.0.1"]);
  });

  it("ends well, is started again, and keeps its records", () => {
    equal(valueOf("KillMode"), "mixed");
    equal(valueOf("Restart"), "on-failure");
    ok(Number(valueOf("TimeoutStopSec")) > longestStep);
    match(unit, /^Environment=XDG_STATE_HOME=%S\/linkerd-multicluster$/m);
    equal(valueOf("StateDirectory"), "linkerd-multicluster");
  });

  it("keeps its state to itself, and may do no more than speak to others", () => {
    equal(valueOf("StateDirectoryMode"), "0700");
    match(unit, /^CapabilityBoundingSet=$/m);
    equal(valueOf("RestrictAddressFamilies"), "AF_UNIX AF_INET AF_INET6 AF_NETLINK");
  });
});

describe("examples: the watch as a Deployment", () => {
  it("is started with options that it has, and serves where its probes ask", () => {
    const options = optionsIn(container.args);
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

  it("is made of files that there are", () => {
    ok(copied.length > 8);
    const there = readdirSync(root);
    for (const path of copied)
      ok(existsSync(join(root, path)) || there.some((name) => matchesGlob(name, path)), path);
  });

  it("has all of the program that the watch and its runs need", () => {
    const program = ["bin", "components", "config", "engine", "index.ts"];
    for (const path of [...program, "Pulumi.yaml", "package.json", "package-lock.json", ".npmrc"])
      ok(copied.includes(path) || copied.includes(`${path}/`), path);
  });

  it("is built without files of clusters, and with every file of the program", () => {
    const ignored = text("watch/Dockerfile.dockerignore")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"));
    const folders = copied.filter((path) => path.endsWith("/"));
    const tracked = execFileSync("git", ["ls-files", ...folders], { cwd: root, encoding: "utf8" });
    const lost = tracked
      .split("\n")
      .filter((path) => ignored.some((glob) => matchesGlob(path, glob)));
    deepEqual(lost, []);
    ok(ignored.some((glob) => matchesGlob("prod.kubeconfig", glob)));
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

  it("runs the watch as nobody in particular, behind an init", () => {
    const [, words = "[]"] = /^ENTRYPOINT (.*)$/m.exec(dockerfile) ?? [];
    const [init, , node, ...files] = z.array(z.string()).parse(JSON.parse(words));
    deepEqual([init, node], ["/usr/bin/tini", "node"]);
    for (const file of files) ok(existsSync(join(root, file)), file);
    match(dockerfile, /^USER 1000:1000$/m);
  });
});

describe("examples: README of the watch", () => {
  it("names every file", () => {
    const own = filesIn("watch").filter((path) => path !== "README.md");
    for (const path of own) ok(text("watch/README.md").includes(`(${path})`), path);
  });
});
