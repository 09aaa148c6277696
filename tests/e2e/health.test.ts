import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { stringify } from "yaml";
import { meshOf } from "../../config/stack-file.ts";
import { checkMesh } from "../../engine/health/run.ts";
import type { HealthReport } from "../../engine/health/report.ts";
import { type Bed, type BedCluster, mark, requestsOf, until } from "../../testbed/bed.ts";
import { environment } from "../../testbed/pulumi.ts";
import * as clusters from "./access-clusters.ts";
import { addMesh, type LiveMesh, replaceCredentials } from "./health-mesh.ts";
import { type ClusterName, emptyBed } from "./mirroring/shared-bed.ts";

const main = join(import.meta.dirname, "..", "..", "bin", "linkerd-clusters.mjs");
const multicluster = "linkerd-multicluster";

describe("npm run check", function () {
  this.timeout("20m");

  let bed: Bed<ClusterName>;
  let live: LiveMesh;
  let folder: string;

  before(async () => {
    ({ bed } = await emptyBed());
    live = await addMesh(bed);
    folder = join(bed.folder, "health");
    await mkdir(folder);
    await configure("links", "links");
    await configure("mirrors", "mirrors");
  });

  function configure(stack: string, manage: string, mirroring = "pulumi"): Promise<void> {
    const config = {
      "linkerd-multicluster:clusters": { west: {}, east: {} },
      "linkerd-multicluster:links": [{ source: "east", target: "west", headless: true, mirroring }],
      "linkerd-multicluster:manage": manage,
    };
    return writeFile(join(folder, `Pulumi.${stack}.yaml`), stringify({ config }));
  }

  /** Returns where it is. */
  async function addController(east: BedCluster): Promise<string> {
    const path = clusters
      .inNamespace(multicluster, "deployments")
      .replace("/api/v1", "/apis/apps/v1");
    const labels = {
      "linkerd.io/extension": "multicluster",
      "mirror.linkerd.io/cluster-name": "west",
    };
    const containers = [{ name: "c", image: "c" }];
    const spec = { serviceAccountName: "controller-west", containers };
    await clusters.post(east, path, {
      metadata: { name: "controller-west", labels },
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    });
    return path;
  }

  async function check(...args: readonly string[]) {
    const { code, stdout, stderr } = await run(folder, environment(bed), args);
    for (const secret of live.secrets)
      assert.ok(!(stdout + stderr).includes(secret), "a credential in the output");
    return { code, stdout, stderr };
  }

  /** The same without a process of its own. */
  async function report(): Promise<HealthReport> {
    const mesh = await meshOf({ stack: "links" }, folder, {});
    const clusters = Object.entries(mesh.clusters).map(([name, access]) => {
      return [name, { ...access, kubeconfig: bed.kubeconfig }] as const;
    });
    const now = () => Date.now();
    const patience = { within: 0, every: 1, sleep: () => Promise.resolve(), now };
    const found = await checkMesh({ ...mesh, clusters: Object.fromEntries(clusters) }, patience);
    for (const secret of live.secrets)
      assert.ok(!JSON.stringify(found).includes(secret), "a credential in the report");
    return found;
  }

  /** Every finding as `check-id: sentence`, by cluster or link. */
  async function findings(): Promise<Record<string, string[]>> {
    const { groups } = await report();
    const named = groups.map(({ name, checks }) => {
      const lines = checks.flatMap(({ id, findings: found }) =>
        found.map(({ severity, sentence }) => `${severity} ${id}: ${sentence}`),
      );
      return [name, lines] as const;
    });
    return Object.fromEntries(named.filter(([, lines]) => lines.length > 0));
  }

  it("finds a mesh in order, writes nothing, and says so in a table and with code 0", async () => {
    const { west, east } = bed.clusters;
    const since = { west: await mark(west), east: await mark(east) };
    const { code, stdout, stderr } = await check("--stack", "links");
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /^link east\/west\n-+\n√ both clusters trust a common anchor\n/m);
    assert.doesNotMatch(stdout, /[×‼]/);
    assert.match(stdout, /\nStatus: √ \(\d+ passed, 7 skipped\)\n$/);
    for (const name of ["west", "east"] as const) {
      const requests = await requestsOf(since[name]);
      const writes = requests.filter(
        ({ verb, resource }) =>
          !["get", "list"].includes(verb) && resource !== "selfsubjectaccessreviews",
      );
      assert.deepEqual(writes, []);
      assert.ok(requests.length < 30, String(requests.length));
    }
  });

  it("asks the API server what Linkerd's controller may do where that mirrors", async () => {
    const { east } = bed.clusters;
    await configure("links", "links", "controller");
    const ofController = async () =>
      ((await findings())["east/west"] ?? []).filter((line) => line.includes("controller"));
    assert.match(
      String(await ofController()),
      /^error single-controller: cluster east has no cont/,
    );
    const path = await addController(east);
    const rights = async () =>
      (await ofController()).filter((line) => line.startsWith("error controller-rights"));
    assert.match(
      String(await rights()),
      /ServiceAccount east\/\S+\/controller-west is not allowed to get services, .*patch links.multicluster.linkerd.io\/status in namespace linkerd-multicluster, .*get leases/,
    );
    const rbac = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";
    const apiGroup = "rbac.authorization.k8s.io";
    await clusters.post(east, rbac, {
      metadata: { name: "controller-west" },
      roleRef: { apiGroup, kind: "ClusterRole", name: "cluster-admin" },
      subjects: [{ kind: "ServiceAccount", name: "controller-west", namespace: multicluster }],
    });
    await until("the rights", [], async () => (await rights()).length === 0 || undefined);
    assert.equal((await east.request("DELETE", `${rbac}/controller-west`)).code, 200);
    assert.equal((await east.request("DELETE", `${path}/controller-west`)).code, 200);
    await configure("links", "links");
  });

  it("leaves Linkerd to others with manage: mirrors, and then reads no Secret", async () => {
    const since = await mark(bed.clusters.east);
    const { code, stdout } = await check("--stack", "mirrors");
    assert.equal(code, 0);
    assert.match(stdout, /- the Link CRD is served \(skipped: this stack does not manage it/);
    const read = (await requestsOf(since)).map(({ resource }) => resource);
    const lists = [
      ...["deployments", "endpoints", "links", "namespaces", "nodes", "pods"],
      ...["servicecidrs", "services"],
    ];
    assert.deepEqual([...new Set(read)].sort(), lists);
  });

  it("asks which stack, and says what is wrong with an option, in a sentence", async () => {
    assert.deepEqual(await check(), {
      code: 2,
      stdout: "",
      stderr: "Which stack? Set --stack or PULUMI_STACK; there are links, mirrors.\n",
    });
    const { code, stderr } = await check("--output", "xml");
    assert.equal(code, 2);
    assert.match(stderr, /^error: option '-o, --output <format>' argument 'xml' is invalid/);
  });

  describe("finds what is broken", () => {
    const where = `Secret east/${multicluster}/cluster-credentials-west`;

    async function ofCredentials(): Promise<string[]> {
      const found = (await findings())["east/west"] ?? [];
      return found.filter((line) => line.includes("credentials-work"));
    }

    it("a token that is not taken, a cluster that is another, rights that are missing", async () => {
      const { west, east } = bed.clusters;
      await replaceCredentials(bed, multicluster, west, "canary-that-nobody-issued");
      assert.deepEqual(await ofCredentials(), [
        `error credentials-work: the credentials in ${where} do not work at ${west.server}: the token is rejected; run pulumi up --refresh, which creates new ones where they are gone`,
      ]);
      await replaceCredentials(bed, multicluster, east, east.access.token);
      assert.deepEqual(await ofCredentials(), [
        `error credentials-work: the credentials in ${where} lead to another cluster at ${east.server} than context west does: correct linkerd-multicluster:clusters.west, its apiServer or its context`,
      ]);
      const path = "/api/v1/namespaces/default/serviceaccounts/default/token";
      const { body } = await west.request("POST", path, { spec: {} });
      const { token } = (body as { readonly status: { readonly token: string } }).status;
      await replaceCredentials(bed, multicluster, west, token);
      const [line = "", ...more] = await ofCredentials();
      assert.deepEqual(more, []);
      assert.match(
        line,
        /is not allowed to get services, list services, watch services, list endpoints/,
      );
      const { code, stdout } = await check("--stack", "links");
      assert.equal(code, 1);
      assert.equal(stdout.match(/×/g)?.length, 2, stdout);
    });
  });
});

async function run(cwd: string, env: NodeJS.ProcessEnv, args: readonly string[]) {
  const options = { cwd, env, reject: false, stripFinalNewline: false } as const;
  const {
    exitCode: code,
    stdout,
    stderr,
  } = await execa(process.execPath, [main, "check", ...args], options);
  return { code, stdout, stderr };
}
