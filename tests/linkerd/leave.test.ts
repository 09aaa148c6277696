import assert from "node:assert/strict";
import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { chartNames } from "../../config/keys/chart-keys.ts";
import { type Config, newStack, type PulumiStack } from "../bed/stack.ts";
import * as clusters from "../e2e/access-clusters.ts";
import { exported, meshConfig, realBed } from "./real-mesh.ts";
import { chartsFolder, skipNote } from "./real-plugins.ts";
import { isInstalled } from "./whole-mesh.ts";

const links = "/apis/multicluster.linkerd.io/v1alpha3/namespaces/linkerd-multicluster/links";
const up = ["up", "--yes", "--skip-preview"];

/** Plays docs/guides/upgrade.md and docs/guides/leave.md. Each test continues from the one before. */
describe(`a mesh of this program, with real plugins and charts${skipNote}`, function () {
  this.timeout("30m");

  const real = realBed(["west", "east"]);
  let stack: PulumiStack;
  let source: string;

  before(async () => {
    const { west, east } = real.clusters;
    source = join(real.bed.folder, "charts");
    await cp(chartsFolder, source, { recursive: true });
    stack = await newStack(real.bed, "leave", config());
    for (const cluster of [west, east]) await clusters.addNamespace(cluster, "shop");
    await clusters.addService(west, "shop", "web", exported);
    await stack.pulumi(...up);
  });

  it("upgrades the charts of one cluster first", async () => {
    for (const chart of chartNames) {
      const file = join(source, chart, "Chart.yaml");
      const text = await readFile(file, "utf8");
      await writeFile(file, text.replace(/^version: .*$/m, "version: 2026.8.4"));
    }
    const releases = ["linkerd-crds", "linkerd-control-plane", "linkerd-multicluster"];
    const target = releases.flatMap((name) => ["--target", `**::west-${name}`]);
    await stack.pulumi(...up, ...target);
    assert.deepEqual(await revisions(), { west: 2, east: 1 });
    await stack.pulumi(...up);
    assert.deepEqual(await revisions(), { west: 2, east: 2 });
    await stack.pulumi("preview", "--expect-no-changes");
  });

  it("leaves everything to Linkerd's controllers", async () => {
    const { west, east } = real.clusters;
    await stack.configure(config({ linkDefaults: { mirroring: "controller" } }));
    assert.match(await stack.pulumi(...up), /east → west: its mirrors stay, because Linkerd's/);
    const leaving = { west: "keep", east: "keep" };
    const last = { manage: "mirrors", clusters: { west: {}, east: {} }, links: [] };
    const keys = { charts: undefined, trustKeysExported: true };
    await stack.configure(config({ ...last, ...keys, leaving }));
    await stack.pulumi(...up);
    await stack.configure(config({ ...last, ...keys }));
    await stack.pulumi(...up);
    await stack.pulumi("destroy", "--yes", "--skip-preview");
    await stack.pulumi("stack", "rm", "--yes");
    for (const cluster of [west, east]) assert.equal(await isInstalled(cluster), true);
    await clusters.get(east, `${links}/west`);
    await clusters.get(east, `${clusters.secretsOf}/cluster-credentials-west`);
    assert.ok(await clusters.serviceIn(east, "shop", "web-west"));
    assert.deepEqual(await revisions(), { west: 2, east: 2 });
  });

  /** Returns the latest revision of Helm's release of the control plane. */
  async function revisions(): Promise<Readonly<Record<string, number>>> {
    const path = clusters.inNamespace("linkerd", "secrets");
    const all = Object.values(real.clusters).map(async (cluster) => {
      const { items } = await clusters.get<{ items: { metadata: { name: string } }[] }>(
        cluster,
        `${path}?labelSelector=owner%3Dhelm%2Cname%3Dlinkerd-control-plane`,
      );
      const numbers = items.map(({ metadata: { name } }) => Number(/\d+$/.exec(name)?.[0]));
      return [cluster.name, Math.max(...numbers)] as const;
    });
    return Object.fromEntries(await Promise.all(all));
  }

  function config(change: Config = {}): Config {
    return meshConfig(real.clusters, { charts: { source }, ...change });
  }
});
