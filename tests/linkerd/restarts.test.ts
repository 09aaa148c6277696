import assert from "node:assert/strict";
import { join } from "node:path";
import { execa } from "execa";
import { type BedCluster, until } from "../bed/bed.ts";
import { environment } from "../bed/pulumi.ts";
import { newStack, type PulumiStack, repository } from "../bed/stack.ts";
import { addNamespace, get, inNamespace, post } from "../e2e/access-clusters.ts";
import { startInjector } from "./injector.ts";
import { meshConfig, realBed } from "./real-mesh.ts";
import { skipNote } from "./real-plugins.ts";

interface Pods {
  readonly items: readonly {
    readonly metadata: { readonly name: string };
    readonly spec: {
      readonly containers: readonly { readonly env?: readonly { readonly value?: string }[] }[];
    };
    readonly status: { readonly phase: string };
  }[];
}

/** Pods of these clusters run nowhere, and a server of the test stands for Linkerd's injector. */
describe(`rotations that restart workloads, with real plugins${skipNote}`, function () {
  this.timeout("30m");

  const real = realBed(["west", "east"]);
  const injectors: { readonly close: () => void }[] = [];
  let stack: PulumiStack;

  const config = (generation: number) =>
    meshConfig(real.clusters, { trust: { restart: true, generation } });

  before(async () => {
    stack = await newStack(real.bed, "restarts", config(1));
    await stack.pulumi("up", "--yes", "--skip-preview");
    for (const cluster of Object.values(real.clusters)) {
      injectors.push(await startInjector(cluster));
      await addNamespace(cluster, "shop");
      await post(cluster, "/apis/apps/v1/namespaces/shop/deployments", {
        metadata: { name: "web" },
        spec: {
          replicas: 2,
          selector: { matchLabels: { app: "web" } },
          template: {
            metadata: { labels: { app: "web" }, annotations: { "linkerd.io/inject": "enabled" } },
            spec: { containers: [{ name: "web", image: "x" }] },
          },
        },
      });
      await until("the pods of web", [], async () => (await pods(cluster)).length === 2);
    }
  });
  after(() => {
    for (const each of injectors) each.close();
  });

  const pods = async (cluster: BedCluster) => {
    const { items } = await get<Pods>(
      cluster,
      `${inNamespace("shop", "pods")}?labelSelector=app=web`,
    );
    return items.filter(({ status }) => status.phase === "Running");
  };
  const anchorsOf = async (cluster: BedCluster) => {
    const all = (await pods(cluster)).map(({ spec }) => {
      const text = JSON.stringify(spec.containers);
      return text.split("BEGIN CERTIFICATE").length - 1;
    });
    return [...new Set(all)];
  };

  it("are previewed with each workload and the reason, and change nothing before", async () => {
    await stack.configure(config(2));
    const preview = await stack.pulumi("preview", "--diff");
    assert.match(
      preview,
      /Deployment shop\/web *: "2 pods: its proxy trusts only anchor [0-9a-f]{12}"/,
    );
    assert.deepEqual(await anchorsOf(real.clusters.west), [1]);
  });

  it("restart workloads in the run that adds an anchor", async () => {
    const output = await stack.pulumi("up", "--yes", "--skip-preview");
    for (const [name, cluster] of Object.entries(real.clusters)) {
      assert.match(output, new RegExp(`${name}: restarted Deployment shop/web`));
      assert.deepEqual(await anchorsOf(cluster), [2]);
    }
  });

  it("come to their end by one command", async () => {
    const words = [join(repository, "cli/linkerd-clusters.mjs"), "rotate", "--yes"];
    const { stdout } = await execa(process.execPath, words, {
      cwd: repository,
      env: { ...environment(real.bed), ...stack.settings, XDG_STATE_HOME: real.bed.folder },
    });
    assert.match(stdout, /Rotation, step 2 of 3/);
    assert.match(stdout, /Rotation, step 3 of 3/);
    assert.match(stdout, /The rotation is complete\.$/);
    await stack.pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
  });
});
