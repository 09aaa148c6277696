import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Config, newStack, type PulumiStack } from "../bed/stack.ts";
import * as clusters from "../e2e/access-clusters.ts";
import { exported, meshConfig, realBed } from "./real-mesh.ts";
import { skipNote } from "./real-plugins.ts";
import { isInstalled } from "./whole-mesh.ts";

const links = "/apis/multicluster.linkerd.io/v1alpha3/namespaces/linkerd-multicluster/links";

/** Each test continues from the one before. */
describe(`a stack that would remove Linkerd, with real plugins and charts${skipNote}`, function () {
  this.timeout("30m");

  const real = realBed(["west", "east"]);
  const leaving = { west: "keep", east: "keep" };
  let stack: PulumiStack;
  const up = ["up", "--yes", "--skip-preview"];

  before(async () => {
    const { west, east } = real.clusters;
    stack = await newStack(real.bed, "removal", config());
    for (const cluster of [west, east]) await clusters.addNamespace(cluster, "shop");
    await clusters.addService(west, "shop", "web", exported);
    await stack.pulumi(...up);
    await withoutMemory();
  });

  it("removes nothing, if its state is of an earlier version and whichever resources it targets", async () => {
    const { deployment } = await exportedState();
    const release = deployment.resources.find(({ urn }) => urn.endsWith("::west-linkerd-crds"));
    const target = ["--target", release?.urn ?? ""];
    await stack.configure(config({ manage: "links" }));
    // The engine itself refuses this until a run has renamed the resource that knew most in earlier versions.
    assert.notEqual((await stack.run([...up, ...target])).code, 0);
    await everythingIsThere();
    await refuses({ manage: "links" }, ["preview"], up, [...up, ...target], [...up, "--refresh"]);
    await refuses({ manage: "mirrors" }, [...up, "--continue-on-error"], [...up, ...target]);
    await refuses({ manage: "trust", links: [] }, up);
    const { east } = clustersIn(config());
    await refuses({ clusters: { east }, links: [] }, [...up, "--continue-on-error"]);
    await refuses({ linkerdNamespace: "mesh" }, up);
    await refuses({ trust: { external: true } }, up);
    await refuses({ manage: "links", leaving }, up);
  });

  it("has nothing to do once the config is as before", async () => {
    await stack.configure(config());
    await stack.pulumi(...up);
    await stack.pulumi("preview", "--expect-no-changes");
  });

  it("leaves Linkerd to others, in two runs, and keeps its links", async () => {
    const { east } = real.clusters;
    await stack.configure(configWithout("links", { leaving, trustKeysExported: true }));
    await stack.pulumi(...up, "--refresh");
    await everythingIsThere();
    await stack.pulumi(...up, "--refresh", "--expect-no-changes");
    await stack.configure(configWithout("links"));
    await stack.pulumi(...up, "--refresh");
    await everythingIsThere();
    assert.doesNotMatch(await stack.pulumi("stack", "export"), /helm.sh\/v3:Release|-issuer"/);
    assert.ok(await clusters.serviceIn(east, "shop", "web-west"));
    await stack.pulumi("preview", "--expect-no-changes");
  });

  it("leaves accounts, credentials and Links to others as well", async () => {
    await refuses({ manage: "mirrors" }, up);
    await stack.configure(configWithout("mirrors", { leaving }));
    await stack.pulumi(...up);
    await stack.configure(configWithout("mirrors"));
    await stack.pulumi(...up);
    await everythingIsThere();
    assert.doesNotMatch(await stack.pulumi("stack", "export"), /"kubernetes:/);
  });

  async function refuses(change: Config, ...runs: readonly (readonly string[])[]) {
    await stack.configure(config(change));
    for (const words of runs) {
      const { code, text } = await stack.run(words);
      assert.notEqual(code, 0, words.join(" "));
      assert.match(text, /Nothing is done, because this run would remove what this stack has/);
      await everythingIsThere();
    }
  }

  async function everythingIsThere() {
    const { west, east } = real.clusters;
    for (const cluster of [west, east]) assert.equal(await isInstalled(cluster), true);
    await clusters.get(east, `${links}/west`);
    await clusters.get(
      east,
      `${clusters.inNamespace("linkerd", "secrets")}/cluster-credentials-west`,
    );
    await clusters.get(
      west,
      `${clusters.inNamespace("linkerd", "secrets")}/linkerd-identity-issuer`,
    );
  }

  interface State {
    readonly deployment: { resources: { urn: string; id?: string }[] };
  }

  async function exportedState(): Promise<State> {
    const file = join(real.bed.folder, "removal.json");
    await stack.pulumi("stack", "export", "--file", file);
    return JSON.parse(await readFile(file, "utf8")) as State;
  }

  /** Makes the state what it was before stacks had a memory of their own. */
  async function withoutMemory() {
    const state = await exportedState();
    const all = state.deployment.resources.filter(
      ({ urn }) => !urn.endsWith(":Installed::installed"),
    );
    state.deployment.resources = all.map((each) => {
      return { ...each, urn: each.urn.replace(/Health::checks$/, "Health::health") };
    });
    const file = join(real.bed.folder, "former.json");
    await writeFile(file, JSON.stringify(state));
    await stack.pulumi("stack", "import", "--file", file);
  }

  function config(change: Config = {}): Config {
    return meshConfig(real.clusters, change);
  }

  /** The keys of `all` have no effect in another mode, and those that give access have none with `mirrors`. */
  function configWithout(manage: "links" | "mirrors", change: Config = {}): Config {
    const { clusters: all, links } = config();
    const settings = Object.entries(all as Readonly<Record<string, Config>>).map(
      ([name, { apiServer, gateway }]) =>
        [name, { gateway, ...(manage === "links" && { apiServer }) }] as const,
    );
    return { manage, clusters: Object.fromEntries(settings), links, ...change };
  }

  function clustersIn({ clusters: all }: Config) {
    return all as Readonly<Record<"west" | "east", Config>>;
  }
});
