import assert from "node:assert/strict";
import { join } from "node:path";
import { execa } from "execa";
import { parseAllDocuments } from "yaml";
import type { BedCluster } from "../bed/bed.ts";
import { type Config, newStack, type PulumiStack } from "../bed/stack.ts";
import * as clusters from "../e2e/access-clusters.ts";
import { configOf, exported, realBed } from "./real-mesh.ts";
import { chartsFolder, skipNote, withCli } from "./real-plugins.ts";

interface Stored {
  readonly metadata: { readonly uid: string };
  readonly data?: { readonly kubeconfig: string };
  readonly spec?: { readonly selector: Config };
}

const link = "/apis/multicluster.linkerd.io/v1alpha3/namespaces/linkerd-multicluster/links/west";
const credentials = (namespace: string) =>
  `${clusters.inNamespace(namespace, "secrets")}/cluster-credentials-west`;
const objects = [link, credentials("linkerd"), credentials("linkerd-multicluster")];
const note = withCli ? skipNote : `${skipNote}, skipped: linkerd is not on PATH`;

/** Each test continues from the one before. */
describe(`a link of Linkerd's CLI that a stack adopts, with real plugins and charts${note}`, function () {
  this.timeout("20m");

  const mesh = realBed(["west", "east"]);
  let stack: PulumiStack;
  const stored = () =>
    Promise.all(objects.map((path) => clusters.get<Stored>(mesh.clusters.east, path)));
  const uids = async () => (await stored()).map(({ metadata }) => metadata.uid);
  let original: readonly string[];

  before(async function () {
    if (!withCli) return this.skip();
    const { west, east } = mesh.clusters;
    const { gateway, ...settings } = configOf(west);
    const installation = await newStack(mesh.bed, "installation", {
      manage: "all",
      clusters: {
        west: { ...settings, gateway: { ...(gateway as Config), enabled: true } },
        east: configOf(east),
      },
      charts: { source: chartsFolder },
    });
    await installation.pulumi("up", "--yes", "--skip-preview");
    await clusters.addNamespace(west, "shop");
    await clusters.addNamespace(east, "shop");
    await clusters.addService(west, "shop", "web", exported);
    const account = ["--service-account-name", "cli"];
    await apply(west, ["allow", "--context", "west", ...account]);
    const gatewayFlags = ["--gateway-addresses", "192.0.2.9", "--gateway-port", "4143"];
    const selector = ["--selector", "team=shop", "--api-server-address", west.server];
    const words = ["link-gen", "--context", "west", "--cluster-name", "west"];
    await apply(east, [...words, ...account, ...gatewayFlags, ...selector]);
    original = await uids();
    stack = await newStack(mesh.bed, "adopting", configured({}));
  });

  /** Creates what a command of Linkerd's CLI prints. */
  async function apply(cluster: BedCluster, words: readonly string[]): Promise<void> {
    const env = { KUBECONFIG: mesh.bed.kubeconfig };
    const { stdout } = await execa("linkerd", ["multicluster", ...words], { env });
    for (const document of parseAllDocuments(stdout)) {
      const manifest = document.toJS() as clusters.Manifest | null;
      if (manifest !== null && manifest.kind !== "Namespace")
        await clusters.post(cluster, clusters.pathOf(manifest), manifest);
    }
  }

  /** With `manage: links`, values of charts are refused. */
  const placeOf = (cluster: BedCluster): Config => {
    const { values, ...place } = configOf(cluster);
    return place;
  };
  const configured = (more: Config): Config => ({
    manage: "links",
    clusters: { west: placeOf(mesh.clusters.west), east: placeOf(mesh.clusters.east) },
    links: [{ source: "east", target: "west", ...more }],
  });

  it("is refused without adopt", async () => {
    assert.match(await stack.pulumi("preview"), /set adopt: true on the link/);
  });

  it("is shown in the preview, object by object, and nothing is written", async () => {
    await stack.configure(configured({ adopt: true }));
    const earlier = await stored();
    const text = await stack.pulumi("preview");
    assert.match(
      text,
      /adopts Link east\/linkerd-multicluster\/west of .*: changes .*spec\.gatewayAddress/,
    );
    assert.match(text, /spec\.selector\.matchLabels\.team \(removed\)/);
    for (const namespace of ["linkerd", "linkerd-multicluster"])
      assert.match(
        text,
        new RegExp(
          `adopts Secret east/${namespace}/cluster-credentials-west.*: changes .*data.kubeconfig`,
        ),
      );
    assert.deepEqual(await stored(), earlier);
  });

  it("is updated in place, and then needs no more changes", async () => {
    assert.match(await stack.pulumi("up", "--yes", "--skip-preview"), /health: \d+ passed/);
    assert.deepEqual(await uids(), original);
    const [{ spec } = {}, ...secrets] = await stored();
    assert.deepEqual(spec?.selector, { matchLabels: { "mirror.linkerd.io/exported": "true" } });
    for (const { data } of secrets)
      assert.match(atob(data?.kubeconfig ?? ""), /linkerd-multicluster-access-east/);
    assert.ok(await clusters.serviceIn(mesh.clusters.east, "shop", "web-west"));
    await stack.pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
  });

  it("stays as it is once adopt is gone from the config", async () => {
    await stack.configure(configured({}));
    await stack.pulumi("up", "--yes", "--skip-preview");
    assert.deepEqual(await uids(), original);
    await stack.pulumi("preview", "--expect-no-changes");
  });

  it("is adopted as equal by a stack that has lost its state", async () => {
    const { folder } = mesh.bed;
    const state = join(folder, "adopting.json");
    await stack.pulumi("stack", "export", "--file", state);
    await stack.pulumi("state", "delete", "--all", "--yes");
    await stack.configure(configured({ adopt: true }));
    const text = await stack.pulumi("preview");
    // Pulumi prints each line twice, in the progress and in the diagnostics.
    const adopted = new Set(text.match(/adopts .*/g));
    assert.equal(adopted.size, 7, text);
    for (const line of adopted) assert.match(line, /: equal$/);
    await stack.pulumi("up", "--yes", "--skip-preview");
    assert.deepEqual(await uids(), original);
    await stack.pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
  });

  it("is deleted with the stack, like objects that the stack created", async () => {
    await stack.pulumi("destroy", "--yes", "--skip-preview");
    const { east } = mesh.clusters;
    for (const path of objects) assert.equal((await east.request("GET", path)).code, 404, path);
  });
});
