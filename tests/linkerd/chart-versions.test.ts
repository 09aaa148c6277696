import assert from "node:assert/strict";
import { delimiter, join } from "node:path";

import { newStack, type PulumiStack } from "../bed/stack.ts";
import * as clusters from "../e2e/access-clusters.ts";
import { configOf, exported, realBed } from "./real-mesh.ts";
import { chartsFolder, skipNote, withCli } from "./real-plugins.ts";

/** Folders of older versions of Linkerd, the oldest first, each with a folder `charts`. */
const older = (process.env["LINKERD_OLDER"] ?? "").split(delimiter).filter((path) => path !== "");
const versions = [...older.map((path) => join(path, "charts")), chartsFolder];
const note =
  older.length > 0 ? skipNote : `${skipNote}, skipped: LINKERD_OLDER names no older version`;

/** Each test continues from the one before. */
describe(`a mesh whose charts are upgraded from version to version${note}`, function () {
  this.timeout("30m");

  const mesh = realBed(["west", "east"]);
  let stack: PulumiStack;
  let original: readonly (string | undefined)[];
  const configured = (source: string, generation: number) => ({
    manage: "all",
    clusters: {
      west: configOf(mesh.clusters.west),
      east: { ...configOf(mesh.clusters.east), gateway: false },
    },
    links: [{ source: "east", target: "west" }],
    linkerdCheck: withCli,
    trust: { generation },
    charts: { source },
  });

  before(async function () {
    if (older.length === 0) return this.skip();
    const { west, east } = mesh.clusters;
    for (const cluster of [west, east]) await clusters.addNamespace(cluster, "shop");
    await clusters.addService(west, "shop", "web", exported);
    await clusters.addService(west, "shop", "found", {
      labels: { "mirror.linkerd.io/exported": "remote-discovery" },
    });
    stack = await newStack(mesh.bed, "versions", configured(versions[0] ?? "", 1));
  });

  for (const [index, charts] of versions.entries()) {
    it(`installs ${charts}, keeps links and mirrors, and then needs no changes`, async () => {
      await stack.configure(configured(charts, 1));
      assert.match(await stack.pulumi("up", "--yes", "--skip-preview"), /health: \d+ passed/);
      if (index === 0) original = await uids();
      assert.deepEqual(await uids(), original);
      assert.ok(original.every((uid) => uid !== undefined));
      await stack.pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
    });
  }

  it("rotates its trust anchor as far as it can while no pod has restarted", async () => {
    await stack.configure(configured(chartsFolder, 2));
    for (const says of [/Rotation, step 1 of 3/, /Rotation, step 2 of 3/, /The rotation waits/])
      assert.match(await stack.pulumi("up", "--yes", "--skip-preview"), says);
  });

  async function uids(): Promise<readonly (string | undefined)[]> {
    const { east } = mesh.clusters;
    const link =
      "/apis/multicluster.linkerd.io/v1alpha3/namespaces/linkerd-multicluster/links/west";
    const { metadata } = await clusters.get<{ readonly metadata: { readonly uid: string } }>(
      east,
      link,
    );
    const mirrors = await Promise.all(
      ["web-west", "found-west"].map((name) => clusters.serviceIn(east, "shop", name)),
    );
    return [metadata.uid, ...mirrors.map((each) => each?.metadata.uid)];
  }
});
