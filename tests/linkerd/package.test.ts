import assert from "node:assert/strict";
import { addNamespace, addService, serviceIn } from "../e2e/access-clusters.ts";
import { Consumer } from "../e2e/consumer.ts";
import { configOf, exported, realBed } from "./real-mesh.ts";
import { chartsFolder, skipNote } from "./real-plugins.ts";

const called = { class: "the npm package", plugin: "the Pulumi package" } as const;
for (const from of ["class", "plugin"] as const)
  describe(`${called[from]} installs a whole mesh on clusters that its program creates${skipNote}`, function () {
    this.timeout("30m");

    const real = realBed(["west", "east"]);
    let consumer: Consumer;

    before(async function () {
      const created = await Consumer.create(real.bed, "consumer");
      if (created === undefined) return this.skip();
      consumer = created;
      await consumer.meshFrom(from);
      for (const cluster of Object.values(real.clusters)) await addNamespace(cluster, "shop");
      await addService(real.clusters.west, "shop", "web", exported);
    });

    function mesh() {
      const { west, east } = real.clusters;
      return {
        clusters: { west: configOf(west), east: configOf(east) },
        charts: { source: chartsFolder },
        links: [{ source: "east", target: "west" }],
      };
    }

    it("previews it before the clusters exist, and says so", async () => {
      const { text } = await consumer.succeeds(mesh(), "preview");
      assert.match(text, /Linkerd in cluster west stays .* not known before the update/);
      assert.match(text, /helm.sh.v3:Release +west-linkerd-control-plane +create/);
    });

    it("installs Linkerd, the Link and the mirrors, and all checks pass", async () => {
      const { text } = await consumer.succeeds(mesh(), "up", "--yes", "--skip-preview");
      assert.match(text, /health: \d+ passed/);
      assert.ok(await serviceIn(real.clusters.east, "shop", "web-west"));
      const { stdout } = await consumer.succeeds(mesh(), "stack", "output", "--json");
      const outputs = JSON.parse(stdout) as {
        readonly trustAnchors: Readonly<Record<string, string>>;
      };
      assert.deepEqual(Object.keys(outputs.trustAnchors), ["east", "west"]);
    });

    it("has nothing to do afterwards", async () => {
      await consumer.succeeds(mesh(), "preview", "--expect-no-changes");
    });

    it("is destroyed from the state alone, and leaks no credential", async () => {
      await consumer.loseKubeconfigs();
      await consumer.succeeds(mesh(), "destroy", "--yes", "--skip-preview");
      assert.equal(await serviceIn(real.clusters.east, "shop", "web-west"), undefined);
      assert.deepEqual(await consumer.leaks(), []);
    });
  });
