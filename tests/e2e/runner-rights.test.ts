import assert from "node:assert/strict";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { healthMesh } from "../../config/share.ts";
import { parseConfig } from "../../config/parse.ts";
import { checkMesh } from "../../engine/health/run.ts";
import type { WatchEvent } from "../../engine/watch/events.ts";
import { MeshWatch } from "../../engine/watch/mesh-watch.ts";
import { stackStateIn } from "../../engine/watch/stack-state.ts";
import { type Bed, until } from "../../testbed/bed.ts";
import { addLink, addLinkCrd, linksPath } from "../../testbed/links.ts";
import { writeKubeconfig } from "../../testbed/kubeconfig.ts";
import { type Config, newStack, type PulumiStack } from "../../testbed/stack.ts";
import { addNamespace, inNamespace } from "./access-clusters.ts";
import { addService, serviceIn } from "./objects.ts";
import { type ClusterName, emptyBed } from "./mirroring/shared-bed.ts";
import { accessOf, grant, manifests, rightsIn, rightsUsed } from "./runner-account.ts";

/** One that no other file has left in the source, where it is to be created. */
const namespace = "runner-rights";
const exported = { labels: { "mirror.linkerd.io/exported": "true" } };
const member = { labels: { "mirror.linkerd.io/federated": "member" } };

describe("a runner with manage: mirrors that has the rights of examples/rbac and no others", function () {
  this.timeout("20m");

  let bed: Bed<ClusterName>;
  let granted: Readonly<Record<"preview" | "up" | "watch", ReadonlySet<string>>>;
  let kubeconfigs: Readonly<Record<"reader" | "writer", string>>;
  let reader: PulumiStack;
  let writer: PulumiStack;

  before(async () => {
    ({ bed } = await emptyBed());
    const { west, east } = bed.clusters;
    const preview = await manifests("preview.yaml");
    const up = await manifests("up.yaml");
    const sources = await manifests("sources.yaml");
    const watch = await manifests("watch.yaml");
    for (const cluster of [west, east])
      for (const manifest of [
        ...preview,
        ...(cluster === west ? [] : [...up, ...sources]),
        ...watch,
      ])
        await grant(cluster, manifest);
    const reading = sources.filter(({ metadata }) => metadata.name.endsWith("-preview"));
    granted = {
      preview: rightsIn([...preview, ...reading]),
      up: rightsIn([...up, ...sources]),
      watch: rightsIn(watch),
    };
    await addNamespace(west, namespace);
    await addService(west, namespace, "web", exported);
    await addService(west, namespace, "shared", member);
    await addLinkCrd(east);
    await addLink(east, "west");
    kubeconfigs = { reader: join(bed.folder, "reader"), writer: join(bed.folder, "writer") };
    const westAs = { name: "west", access: await accessOf(west, "preview") };
    const eastAs = async (name: string) => ({ name: "east", access: await accessOf(east, name) });
    await writeKubeconfig(kubeconfigs.reader, [westAs, await eastAs("preview")]);
    await writeKubeconfig(kubeconfigs.writer, [westAs, await eastAs("up")]);
    reader = await newStack(bed, "reader", config(kubeconfigs.reader));
    writer = await newStack(bed, "writer", config(kubeconfigs.writer));
  });

  it("previews with the rights to read, and says that it may not keep the status of Links", async () => {
    const used = await rightsUsed(bed, async () => {
      const { text } = await reader.run(["preview", "--diff"]);
      assert.match(
        text,
        /the status of Link linkerd-multicluster\/west is not kept .* may not patch/,
      );
    });
    assert.deepEqual(
      [...used].filter((right) => !granted.preview.has(right)),
      [],
    );
  });

  it("makes, changes, checks, watches and removes mirrors with all of them, and never lacks one", async () => {
    const { west, east } = bed.clusters;
    const up = () => writer.pulumi("up", "--yes", "--skip-preview");
    const used = await rightsUsed(bed, async () => {
      await up();
      assert.ok(await serviceIn(east, namespace, "web-west"));
      const { body } = await east.request("GET", `${linksPath}/west`);
      assert.match(JSON.stringify(body), /"name":"web-west"/);
      await check();
      await watched();
      await addService(west, namespace, "api", exported);
      const ports = [{ name: "http", port: 9090 }];
      const web = `${inNamespace(namespace, "services")}/web`;
      assert.equal((await west.request("PATCH", web, { spec: { ports } })).code, 200);
      await up();
      assert.ok(await serviceIn(east, namespace, "api-west"));
      await writer.configure(config(kubeconfigs.writer, "192.0.2.8"));
      const shared = `${inNamespace(namespace, "services")}/shared`;
      assert.equal((await west.request("DELETE", shared)).code, 200);
      await up();
      assert.equal(await serviceIn(east, namespace, "shared-federated"), undefined);
      await writer.pulumi("destroy", "--yes", "--skip-preview");
      assert.equal(await serviceIn(east, namespace, "web-west"), undefined);
    });
    const all = new Set([...granted.preview, ...granted.up, ...granted.watch]);
    assert.deepEqual(
      [...used].filter((right) => !all.has(right)),
      [],
    );
    // Other tests show when these are used: pods that are away, shared links, conflicts.
    const elsewhere = ["list statefulsets", "patch services", "update leases"];
    assert.deepEqual([...all].filter((right) => !used.has(right)).sort(), elsewhere);
  });

  /** As `npm run check`, with the rights to read, which must be enough for each check. */
  async function check(): Promise<void> {
    const parsed = parseConfig(config(kubeconfigs.reader));
    assert.ok("config" in parsed);
    const { groups } = await checkMesh(healthMesh(parsed.config), { within: 0, every: 1 });
    const checks = groups.flatMap((group) => group.checks);
    assert.ok(checks.some(({ id }) => id === "clients-meshed"));
    assert.deepEqual(
      checks.filter(({ why = "" }) => why.includes("can't be")),
      [],
    );
  }

  /** Begins to watch whatever the stack's mirrors depend on. */
  async function watched(): Promise<void> {
    const events: WatchEvent[] = [];
    const meshWatch = new MeshWatch({ observe: (event) => events.push(event) });
    const { mirrors } = stackStateIn(await writer.pulumi("stack", "export"));
    await meshWatch.update([...mirrors.values()]);
    const kinds = ["endpoints", "namespaces", "services"];
    const everything = [
      ...["links", ...kinds].map((kind) => `east ${kind}`),
      ...kinds.map((kind) => `west ${kind}`),
    ].sort();
    await until("all watches", [], () => {
      const told = events.flatMap((each) =>
        each.event === "watching" ? [`${each.cluster} ${each.kind}`] : [],
      );
      return Promise.resolve(isDeepStrictEqual(told.sort(), everything) || undefined);
    });
    await meshWatch.update([]);
  }

  function config(kubeconfig: string, address = "192.0.2.7"): Config {
    const gateway = { addresses: [address], port: 4143, identity: "gateway.west" };
    const link = { source: "east", target: "west", createNamespaces: true, allowDeletions: true };
    return {
      manage: "mirrors",
      sources: ["east"],
      clusters: { west: { kubeconfig, gateway }, east: { kubeconfig } },
      links: [link],
    };
  }
});
