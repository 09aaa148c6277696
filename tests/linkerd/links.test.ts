import assert from "node:assert/strict";
import { addLinkCrd } from "../bed/links.ts";
import { type Config, newStack, type PulumiStack } from "../bed/stack.ts";
import * as clusters from "../e2e/access-clusters.ts";
import { exported, realBed } from "./real-mesh.ts";
import { skipNote } from "./real-plugins.ts";
import { issuesTokens } from "./whole-mesh.ts";

describe(`links to a cluster that refuses connections, with real plugins${skipNote}`, function () {
  this.timeout("15m");

  const real = realBed(["west", "east", "north"]);
  let stack: PulumiStack;
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
});
