import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { parse, stringify } from "yaml";
import { addLinkCrd } from "../bed/links.ts";
import { type Config, newStack, type PulumiStack } from "../bed/stack.ts";
import * as clusters from "../e2e/access-clusters.ts";
import { exported, realBed } from "./real-mesh.ts";
import { skipNote } from "./real-plugins.ts";
import { issuesTokens } from "./whole-mesh.ts";

/** Each test continues from the one before. */
describe(`links to a cluster that doesn't answer or is another one, with real plugins${skipNote}`, function () {
  this.timeout("15m");

  const real = realBed(["west", "east", "north"]);
  let stack: PulumiStack;
  const destroy = ["destroy", "--yes", "--skip-preview", "--continue-on-error"];
  const up = ["up", "--yes", "--skip-preview"];
  const accounts = clusters.inNamespace("linkerd-multicluster", "serviceaccounts");
  const account = `${accounts}/linkerd-multicluster-access-east`;
  const has = async (name: "west" | "north") =>
    (await real.clusters[name].request("GET", account)).code === 200;

  const config = (...targets: readonly string[]): Config => ({
    manage: "links",
    clusters: Object.fromEntries(
      Object.values(real.clusters).map(({ name, server }) => [name, { apiServer: server }]),
    ),
    links: targets.map((target) => ({
      source: "east",
      target,
      gateway: { addresses: ["192.0.2.7"], port: 4143, identity: `gateway.${target}` },
    })),
  });

  before(async () => {
    for (const cluster of Object.values(real.clusters)) {
      await clusters.addNamespaces(cluster);
      await clusters.addLinkerdConfig(cluster);
      await addLinkCrd(cluster);
      await clusters.addNamespace(cluster, "shop");
    }
    stack = await newStack(real.bed, "links", config("west", "north"));
  });

  it("that are new leave everything else done, name the cluster, and are made by the next run", async () => {
    await real.clusters.west.cut();
    for (const [service, ...flags] of [["web"], ["api", "--continue-on-error"]] as const) {
      await clusters.addService(real.clusters.north, "shop", service, exported);
      const { code, text } = await stack.run([...up, ...flags]);
      assert.notEqual(code, 0);
      assert.match(text, /link east → west: .*cluster west/);
      assert.doesNotMatch(text, /configured Kubernetes cluster is unreachable/);
      assert.ok(await clusters.serviceIn(real.clusters.east, "shop", `${service}-north`), text);
    }
    await real.clusters.west.restore();
    await issuesTokens(real.clusters.west);
    // Health fails, since Linkerd itself isn't there.
    await stack.run(up);
    assert.ok((await has("west")) && (await has("north")));
  });

  it("that exist let runs leave out resources", async () => {
    await real.clusters.west.cut();
    const state = await stack.pulumi("stack", "export");
    const urnOf = (end: string) => new RegExp(`"(urn:[^"]*${end})"`).exec(state)?.[1] ?? end;
    const target = ["--target", urnOf(":ClusterIdentity::north")];
    const { code, text } = await stack.run([...up, ...target]);
    assert.equal(code, 0, text);
    const exclude = ["--exclude", urnOf(":Mirrors::east")];
    const excluded = await stack.run([...up, ...exclude]);
    assert.doesNotMatch(excluded.text, /[Dd]uplicate/);
    // The checks come last.
    assert.match(excluded.text, /:Health checks/, excluded.text);
  });

  it("aren't written by a run that targets an object there, if the context leads elsewhere", async () => {
    const { east, north } = real.clusters;
    const kubeconfig = await readFile(real.bed.kubeconfig, "utf8");
    const before = await clusters.get<object>(north, account);
    const state = await stack.pulumi("stack", "export");
    const urn = /"urn": "([^"]*ServiceAccount::east\/west)"/.exec(state)?.[1] ?? "";
    const { contexts, ...rest } = parse(kubeconfig) as { contexts: { name: string }[] };
    const others = contexts.filter(({ name }) => name !== "west");
    const wrong = others.flatMap((each) =>
      each.name === "north" ? { ...each, name: "west" } : [],
    );
    await writeFile(real.bed.kubeconfig, stringify({ ...rest, contexts: [...others, ...wrong] }));
    for (const words of [
      ["--target", urn],
      ["--target", urn, "--target-dependents"],
    ]) {
      const { code, text } = await stack.run([...up, ...words]);
      assert.notEqual(code, 0);
      assert.match(text, /Nothing is done, because context west of cluster west leads to another/);
    }
    await writeFile(real.bed.kubeconfig, kubeconfig);
    assert.deepEqual(await clusters.get(north, account), before);
    assert.ok(await clusters.serviceIn(east, "shop", "web-north"));
  });

  it("are destroyed where the cluster answers, and elsewhere by the next destroy", async () => {
    await real.clusters.west.restore();
    await real.clusters.west.cut("silent");
    const { code, text } = await stack.run(destroy);
    assert.notEqual(code, 0);
    assert.match(text, /east\/west\/token/);
    assert.equal(await has("north"), false);
    assert.equal(await clusters.serviceIn(real.clusters.east, "shop", "web-north"), undefined);
    await real.clusters.west.restore();
    await stack.pulumi(...destroy);
    assert.equal(await has("west"), false);
  });
});
