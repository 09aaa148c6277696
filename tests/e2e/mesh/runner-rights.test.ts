import assert from "node:assert/strict";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { healthMesh } from "../../../config/share.ts";
import { checkMesh } from "../../../engine/health/check-mesh.ts";
import type { WatchEvent } from "../../../cli/watch/events.ts";
import { MeshWatch } from "../../../cli/watch/cluster-watch.ts";
import { stackStateIn } from "../../../cli/stack/stack-state.ts";
import { type Bed, until } from "../../bed/bed.ts";
import { addLink, addLinkCrd, linksPath } from "../../bed/links.ts";
import { writeKubeconfig } from "../../bed/kubeconfig.ts";
import { type Config, newStack, type PulumiStack } from "../../bed/stack.ts";
import { configOf } from "../../unit/config/table.ts";
import { addNamespace, addService, inNamespace, post, serviceIn } from "../access-clusters.ts";
import { member } from "../mirroring/objects.ts";
import { type ClusterName, create, emptyBed } from "../mirroring/shared-bed.ts";
import { accessOf, beyond, manifests, rightsIn, rightsUsed } from "../runner-account.ts";

/** No other file may have left it in the source, where it is to be created. */
const namespace = "runner-rights";
const exported = { labels: { "mirror.linkerd.io/exported": "true" } };
const preview = manifests("preview.yaml");
const writing = manifests("up.yaml");
const watching = manifests("watch.yaml");

describe("a runner with manage: mirrors and only the rights of examples/rbac", function () {
  this.timeout("20m");

  let bed: Bed<ClusterName>;
  let reader: string;
  let writer: string;
  let stack: PulumiStack;

  before(async () => {
    const shared = await emptyBed();
    bed = shared.bed;
    const { west, east } = bed.clusters;
    await create(shared.kube.west, [...preview, ...watching]);
    await create(shared.kube.east, [...preview, ...writing, ...watching]);
    await addNamespace(west, namespace);
    await addService(west, namespace, "web", exported);
    await addService(west, namespace, "shared", { labels: member });
    await addLinkCrd(east);
    await addLink(east, "west");
    const westAs = { name: "west", access: await accessOf(west, "preview") };
    const kubeconfigFor = async (name: string) => {
      const file = join(bed.folder, `rights-${name}`);
      await writeKubeconfig(file, [westAs, { name: "east", access: await accessOf(east, name) }]);
      return file;
    };
    [reader, writer] = [await kubeconfigFor("preview"), await kubeconfigFor("up")];
    stack = await newStack(bed, "runner", config(reader));
  });

  it("previews with read access, and says that it may not update the status of Links", async () => {
    const used = await rightsUsed(bed, async () => {
      assert.match(
        await stack.pulumi("preview", "--diff"),
        /the status of Link linkerd-multicluster\/west isn't updated and may be out of date, because the runner may not patch/,
      );
    });
    assert.deepEqual(beyond(used, rightsIn(preview)), []);
  });

  it("can be an EKS role in a group of identities.yaml, or a Google service account", async () => {
    const { east } = bed.clusters;
    for (const each of manifests("identities.yaml"))
      await post(east, "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", each);
    const may = async (verb: string, who: { groups: string[] } | { user: string }) => {
      const resourceAttributes = { verb, resource: "services", namespace };
      const path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
      const { body } = await east.request("POST", path, { spec: { ...who, resourceAttributes } });
      return (body as { readonly status: { readonly allowed: boolean } }).status.allowed;
    };
    const groups = (name: string) => ({ groups: [`linkerd-multicluster:${name}`] });
    const user = "mesh-runner@example-project.iam.gserviceaccount.com";
    const answers = [groups("preview"), groups("up"), { user }].map(async (who) => {
      return [await may("list", who), await may("create", who)];
    });
    assert.deepEqual(await Promise.all(answers), [
      [true, false],
      [true, true],
      [true, true],
    ]);
  });

  it("creates, changes, checks, watches and deletes mirrors with all rights, and none is missing", async () => {
    const { west, east } = bed.clusters;
    const services = inNamespace(namespace, "services");
    const up = () => stack.pulumi("up", "--yes", "--skip-preview");
    await stack.configure(config(writer));
    const used = await rightsUsed(bed, async () => {
      await up();
      assert.ok(await serviceIn(east, namespace, "web-west"));
      const { body } = await east.request("GET", `${linksPath}/west`);
      assert.match(JSON.stringify(body), /"name":"web-west"/);
      await check();
      await watched();
      await addService(west, namespace, "api", exported);
      const spec = { ports: [{ name: "http", port: 9090 }] };
      assert.equal((await west.request("PATCH", `${services}/web`, { spec })).code, 200);
      assert.equal((await west.request("DELETE", `${services}/shared`)).code, 200);
      await stack.configure(config(writer, "192.0.2.8"));
      await up();
      assert.ok(await serviceIn(east, namespace, "api-west"));
      assert.equal(await serviceIn(east, namespace, "shared-federated"), undefined);
      await stack.pulumi("destroy", "--yes", "--skip-preview");
      assert.equal(await serviceIn(east, namespace, "web-west"), undefined);
    });
    const all = rightsIn([...preview, ...writing, ...watching]);
    assert.deepEqual(beyond(used, all), []);
    // Other tests show when these are used: Endpoints without a Service, pods that are away. Only OpenShift asks for one.
    const elsewhere = ["create endpoints/restricted", "delete endpoints", "list statefulsets"];
    assert.deepEqual(beyond(all, used), elsewhere);
  });

  /** As `linkerd-clusters check`, with the rights of `pulumi up`, which must be enough for each check. */
  async function check(): Promise<void> {
    const { groups } = await checkMesh(healthMesh(configOf(config(writer))), {
      within: 0,
      every: 1,
    });
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
    const { mirrors } = stackStateIn(await stack.pulumi("stack", "export"));
    meshWatch.update([...mirrors.values()]);
    const kinds = ["endpoints", "namespaces", "services"];
    const everything = [
      ...["links", ...kinds].map((kind) => `east ${kind}`),
      ...kinds.map((kind) => `west ${kind}`),
    ].sort();
    const isWatching = () => {
      const told = events.flatMap((each) =>
        each.event === "watching" ? [`${each.cluster} ${each.kind}`] : [],
      );
      return Promise.resolve(isDeepStrictEqual(told.sort(), everything) || undefined);
    };
    await until("all watches", [], isWatching).finally(() => meshWatch.close());
  }

  function config(kubeconfig: string, address = "192.0.2.7"): Config {
    const gateway = { addresses: [address], port: 4143, identity: "gateway.west" };
    const link = {
      source: "east",
      target: "west",
      createNamespaces: true,
      allowDeletions: true,
      // Otherwise the watch needs no Endpoints of west.
      headless: true,
    };
    return {
      manage: "mirrors",
      sources: ["east"],
      clusters: { west: { kubeconfig, gateway }, east: { kubeconfig } },
      links: [link],
    };
  }
});
