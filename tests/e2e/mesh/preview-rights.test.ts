import assert from "node:assert/strict";
import { join } from "node:path";
import { preflight } from "../../../components/preflight.ts";
import { clusterIdentities } from "../../../engine/providers/stateless.ts";
import { writeKubeconfig } from "../../bed/kubeconfig.ts";
import { provider, wantedResources } from "../../simulation/providers.ts";
import { configOf } from "../../unit/config/table.ts";
import { stateOf } from "../../unit/trust/live.ts";
import { checkInNewRun, question } from "../access-clusters.ts";
import { addMesh, meshStack } from "../health-mesh.ts";
import { create, emptyBed, type SharedBed } from "../mirroring/shared-bed.ts";
import { accessOf, beyond, manifests, rightsIn, rightsUsed } from "../runner-account.ts";

/** Calls the methods that read clusters in a preview. The engine reads none besides. */
describe("a preview with manage: links and all, with only the rights of examples/rbac", function () {
  this.timeout("20m");

  let shared: SharedBed;
  let kubeconfig: string;

  const preview = manifests("preview.yaml");
  const mesh = manifests("preview-mesh.yaml");
  const secrets = manifests("preview-secrets.yaml");

  before(async () => {
    shared = await emptyBed();
    const { west, east } = shared.bed.clusters;
    await addMesh(shared.bed);
    await grant([...preview, ...mesh]);
    kubeconfig = join(shared.bed.folder, "reader");
    const entries = [west, east].map(async (cluster) => {
      return { name: cluster.name, access: await accessOf(cluster, "preview") };
    });
    await writeKubeconfig(kubeconfig, await Promise.all(entries));
  });

  it("shows mirrors without the right to read Secrets, and says what it can't find out", async () => {
    const refused = ["get secrets", "list secrets"];
    const previewed = async () => {
      const { mirrors, remark, trust } = await previews();
      assert.match(mirrors, /"shop\/web-west":"gateway mirror of web: .+"/);
      assert.match(
        remark,
        /cluster west refuses to list secrets in namespace linkerd-multicluster/,
      );
      assert.deepEqual(trust, ["unreadable", "unreadable"]);
    };
    await rightsUsed(shared.bed, previewed, refused);
  });

  it("shows tokens and trust with the right to read Secrets", async () => {
    await grant(secrets);
    const used = await rightsUsed(shared.bed, async () => {
      const { token, trust, warnings } = await previews();
      assert.equal(token, "linkerd-multicluster-access-east-token-1-1");
      assert.deepEqual(trust, ["present", "present"]);
      assert.deepEqual(warnings, []);
    });
    assert.deepEqual(beyond(used, rightsIn([...preview, ...mesh, ...secrets])), []);
    // Mirrors use the first one where the stack has made a Link, links with a prober the second, and a rotation the third.
    const unused = ["get customresourcedefinitions", "get leases", "list pods"];
    assert.deepEqual(beyond(rightsIn([...mesh, ...secrets]), used), unused);
  });

  async function previews() {
    const { bed } = shared;
    const access = { context: "west", kubeconfig };
    const sourceAccess = { context: "east", kubeconfig };
    const config = {
      manage: "all",
      trustDomain: "trust.example",
      clusters: { west: access, east: sourceAccess },
      links: [{ source: "east", target: "west" }],
    };
    const asked = question(bed, { access, sourceAccess });
    const { inputs } = await checkInNewRun({}, asked);
    const own = { ...asked, access: sourceAccess, targets: ["west"], stack: meshStack };
    const into = { ...own, access, targets: [], sources: ["east"] };
    for (const [cluster, links] of Object.entries({ east: own, west: into }))
      await clusterIdentities.check({}, { cluster, context: cluster, uid: "any", links });
    const [mirrors = {}] = wantedResources(config, meshStack, () => kubeconfig).values();
    const checked = await provider().check({}, mirrors);
    const { trust, warnings } = await preflight(configOf(config));
    return {
      mirrors: JSON.stringify(checked.inputs),
      remark: inputs.remark ?? "",
      token: inputs.facts?.token,
      warnings,
      trust: [...trust.values()].map(stateOf),
    };
  }

  async function grant(granted: typeof preview): Promise<void> {
    for (const kube of [shared.kube.west, shared.kube.east]) await create(kube, granted);
  }
});
