import { deepEqual, equal, match, ok } from "node:assert/strict";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import type { Explanation } from "../../../cli/views/explain.ts";
import type { Status } from "../../../cli/views/status.ts";
import type { WhatIf } from "../../../cli/views/whatif.ts";
import { writeKubeconfig } from "../../bed/kubeconfig.ts";
import { repository } from "../../bed/stack.ts";
import { Search } from "../canaries.ts";
import { create } from "../mirroring/shared-bed.ts";
import { accessOf, manifests, rightsUsed } from "../runner-account.ts";
import { secrets, type ToolStack, toolStack } from "../tool-stack.ts";

const web = { namespace: "tool", name: "web-west" };

describe("linkerd-clusters on real clusters", function () {
  this.timeout("20m");
  let stack: ToolStack;
  before(async () => {
    stack = await toolStack();
  });

  const run = (...words: readonly string[]) => stack.run(["linkerd-clusters", ...words]);

  /** Returns the JSON of a command for the one stack. */
  async function said<T>(words: readonly string[], variables = {}): Promise<T> {
    const command = ["linkerd-clusters", ...words, "--output", "json"];
    const { stdout, stderr } = await stack.run(command, undefined, variables);
    match(stdout, /^\{/, stderr);
    const [first] = (JSON.parse(stdout) as { readonly stacks: readonly [T] }).stacks;
    return first;
  }

  const mirrorsAndReasons = ({ mirrors, notMirrored }: Status) => [
    mirrors.map(({ mirror, verdict }) => `${verdict} ${mirror}`),
    notMirrored.map(({ reason }) => reason),
  ];

  it("shows the stack of the current folder", async () => {
    const { code, stdout } = await run("status");
    equal(code, 0);
    match(stdout, /^tool: ok, but 1 Service not mirrored\n/);
  });

  it("explains a mirror with the stack that wrote it", async () => {
    const { services } = await said<Explanation>(["explain", "tool/web"]);
    const there = services[0]?.appearsIn.find(({ source }) => source === "east");
    equal(there?.state, "mirrored");
    const [mirror] = there.mirrors;
    deepEqual(
      [mirror?.mirror, mirror?.writtenBy?.map((each) => each.stack)],
      ["tool/web-west", ["organization/linkerd-multicluster/tool"]],
    );
  });

  it("writes a support bundle that other commands read, without secrets", async () => {
    const bundle = join(stack.shared.bed.folder, "bundle");
    equal((await run("gather", "--to", bundle)).code, 0);
    const found = await said<Status>(["status", "--from", bundle]);
    deepEqual(mirrorsAndReasons(found), [["keep tool/web-west"], ["MissingNamespace"]]);
    const kubeconfig = await readFile(stack.shared.bed.kubeconfig, "utf8");
    const keys = [...kubeconfig.matchAll(/(?:token|key-data): (\S{12,})/g)];
    const credentials = keys.map(([, key = ""], index) => [`credential ${index}`, key] as const);
    ok(credentials.length > 0);
    const search = new Search({ ...secrets, ...Object.fromEntries(credentials) });
    deepEqual(await search.inFolder(bundle), []);
  });

  it("needs only the rights of preview.yaml for explain and whatif, and reads no Secret or pod", async () => {
    const { bed, kube } = stack.shared;
    const entries = (["west", "east"] as const).map(async (name) => {
      await create(kube[name], manifests("preview.yaml"));
      return { name, access: await accessOf(bed.clusters[name], "preview") };
    });
    const KUBECONFIG = join(bed.folder, "tool.kubeconfig");
    await writeKubeconfig(KUBECONFIG, await Promise.all(entries));
    const rights = await rightsUsed(bed, async () => {
      const { services } = await said<Explanation>(["explain", "tool/web"], { KUBECONFIG });
      equal(services.length, 1);
      const { affected } = await said<WhatIf>(["whatif", "--lose", "west"], { KUBECONFIG });
      deepEqual(
        affected.map(({ mirror, state }) => [mirror, state]),
        [["tool/web-west", "unavailable"]],
      );
    });
    deepEqual(
      [...rights].filter((right) => /secrets|pods/.test(right)),
      [],
    );
  });

  it("reads the config that Pulumi computes, with secrets and relative paths, from any folder", async () => {
    const { folder, shared } = stack;
    const [own, project] = ["Pulumi.tool.yaml", "Pulumi.yaml"].map((file) => join(folder, file));
    const before = await Promise.all([own, project].map((file = "") => readFile(file, "utf8")));
    const [text = "", projectText = ""] = before;
    await copyFile(shared.bed.kubeconfig, join(folder, "kubeconfig"));
    const shown = async () => {
      const words = ["status", "--cwd", folder, "--stack", "tool", "--output", "json"];
      const { stdout, stderr } = await stack.run(["linkerd-clusters", ...words], "/", {
        KUBECONFIG: "kubeconfig",
      });
      match(stdout, /^\{/, stderr);
      const { stacks } = JSON.parse(stdout) as { readonly stacks: readonly [Status] };
      const { clusters, links, mirrors } = stacks[0];
      return [
        clusters.map(({ name, reachable }) => `${name} ${String(reachable)}`).sort(),
        links.map(({ source, target }) => `${source} → ${target}`),
        mirrors.map(({ mirror }) => mirror),
      ];
    };
    const expected = [["east true", "west true"], ["east → west"], ["tool/web-west"]];
    deepEqual(await shown(), expected);
    const key = (name: string) => `linkerd-multicluster:${name}`;
    const secret = (...words: readonly string[]) =>
      stack.run(["pulumi", "config", "set", "--stack", "tool", "--secret", ...words]);
    try {
      await secret("--path", key("clusters.west.kubeconfig"), "./kubeconfig");
      deepEqual(await shown(), expected);
      const clusters = { west: { kubeconfig: "./kubeconfig" }, east: {} };
      await secret(key("clusters"), JSON.stringify(clusters));
      deepEqual(await shown(), expected);
      await writeFile(own ?? "", text.replace(/ {2}\S+:links:(?:\n {4}.*)+\n/, ""));
      deepEqual((await shown())[1], []);
      const links = { [key("links")]: { value: [{ source: "east", target: "west" }] } };
      await writeFile(project ?? "", `${projectText}config: ${JSON.stringify(links)}\n`);
      deepEqual(await shown(), expected);
    } finally {
      await writeFile(own ?? "", text);
      await writeFile(project ?? "", projectText);
    }
  });

  it("fails to verify without a proxy, and deletes its pod", async () => {
    const { kube } = stack.shared;
    const { code, stdout } = await run("verify", "--image", "client");
    equal(code, 1);
    match(
      stdout,
      /tool\/web-west:\d+: fails at client: east created pod \S+ without Linkerd's proxy\n/,
    );
    const created = { labelSelector: "app.kubernetes.io/managed-by=linkerd-clusters" };
    deepEqual(await kube.east.list(resources.pods, created), []);
    equal((await run("verify")).code, 2);
  });

  it("shows what the next up repairs, and fails if it isn't ok in time", async () => {
    await stack.shared.kube.east.remove(resources.services, web);
    const found = await said<Status>(["status"]);
    deepEqual([found.ok, mirrorsAndReasons(found)[0]], [false, ["create tool/web-west"]]);
    equal((await run("status", "--wait", "1s")).code, 1);
  });

  it("says in the preview and in status that a run would refuse a cluster, and why", async () => {
    const file = join(stack.folder, "Pulumi.tool.yaml");
    const text = await readFile(file, "utf8");
    try {
      const context = "linkerd-multicluster:clusters.west.context";
      await stack.run(["pulumi", "config", "set", "--path", context, "north"]);
      const moved = "context north of cluster west leads to another cluster than before";
      const words = ["pulumi", "preview", "--stack", "tool", "--config-file", file];
      const { code, stdout, stderr } = await stack.run(words, repository);
      equal(code, 0, stderr);
      match(stdout, new RegExp(`warning: pulumi up will fail after everything else: ${moved}`));
      const status = (await run("status")).stdout;
      match(status, /^× west +refused /m);
      match(status, new RegExp(`× ${moved}`));
    } finally {
      await writeFile(file, text);
    }
  });

  it("completes its commands and options", async () => {
    match((await run("complete", "--", "status", "--st")).stdout, /^--stack/m);
    match((await run("complete", "bash")).stdout, /linkerd-clusters/);
  });
});
