import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { execa } from "execa";
import { stringify } from "yaml";

import { type Bed, startBed, until } from "../bed/bed.ts";
import { linkerdImages } from "../bed/nodes/linkerd.ts";
import { environment } from "../bed/pulumi.ts";
import { repository } from "../bed/stack.ts";
import * as clusters from "../e2e/access-clusters.ts";
import { lackingForOperator, operatorImages } from "./operator-images.ts";
import { exported } from "./real-mesh.ts";
import { lackingForMesh, skipNoteOf } from "./real-nodes.ts";
import { chartsFolder } from "./real-plugins.ts";

const variable = "OPERATOR_CRDS";
const installation = join(process.env[variable] ?? "", "../quickstart/install.yaml");
const lacking = [
  ...(await lackingForMesh()),
  ...(await lackingForOperator()),
  ...(existsSync(installation) ? [] : [`there is no ../quickstart/install.yaml in ${variable}`]),
];
const images = {
  operator: "docker.io/pulumi/pulumi-kubernetes-operator:v2.9.0",
  stack: "bed.local/mesh:1",
};
const stacks = ["trust", "west", "east"];
const services = ["web", "docs"];
const mesh = "--namespace=mesh";

/** Each test continues from the one before. */
describe(`examples/operator, run by the Pulumi Kubernetes Operator on real nodes${skipNoteOf(lacking)}`, function () {
  this.timeout("30m");

  let bed: Bed<"west" | "east"> | undefined;
  let folder = "";

  before(async function () {
    if (lacking.length > 0) return this.skip();
    folder = await mkdtemp(join(tmpdir(), "operator-"));
    await chmod(folder, 0o755);
    const own = [...(await linkerdImages(chartsFolder)), ...(await operatorImages(folder, images))];
    bed = await startBed({ clusters: ["west", "east"], runs: "nodes", nodes: { images: own } });
    const { west, east } = bed.clusters;
    for (const cluster of [west, east]) await clusters.addNamespace(cluster, "shop");
    for (const name of services) await clusters.addService(west, "shop", name, exported);
    await kubectl("apply", "--server-side", `--filename=${installation}`);
    const operator = "--namespace=pulumi-kubernetes-operator";
    await kubectl("rollout", "status", "deployment", operator, "--timeout=180s");
  });
  after(async () => {
    await bed?.stop();
    if (folder !== "") await rm(folder, { recursive: true });
  });

  it("makes the mesh, of a trust stack and a stack for each cluster", async () => {
    const example = join(folder, "example");
    await cp(join(repository, "examples/operator"), example, { recursive: true });
    await kubectl("apply", `--filename=${example}/access.yaml`);
    await addSettings();
    await writeFile(join(example, "kustomization.yaml"), stringify(await kustomization()));
    await kubectl("apply", `--kustomize=${example}`);
    for (const name of stacks) await until(`${name} to be ready`, [], () => is(name, "Ready"), 400);
    for (const name of services) assert.ok(await mirrorOf(name));
  });

  it("mirrors a new export with the next resync", async () => {
    await clusters.addService(theBed().clusters.west, "shop", "cart", exported);
    await until("a mirror of cart", [], () => mirrorOf("cart"), 200);
  });

  it("stalls on a refusal of the program, which touches nothing", async () => {
    await label(null);
    const message = await until("a stalled stack", [], () => is("east", "Stalled"), 400);
    assert.match(message, /failed 3 times/);
    for (const name of services) assert.ok(await mirrorOf(name));
    const log = await kubectl("logs", "mesh-east-workspace-0", mesh);
    assert.match(log, /would delete 2 of its 3 mirrors on east, and maxDeletions/);
  });

  it("recovers by the job of retry.yaml once there is nothing to refuse", async () => {
    await label("true");
    await kubectl("create", "job", "--from=cronjob/mesh-retry", "retry", mesh);
    await until("a stack that is ready", [], () => is("east", "Ready"), 200);
  });

  function theBed() {
    if (bed === undefined) throw new Error("there is no bed");
    return bed;
  }

  async function kubectl(...words: readonly string[]): Promise<string> {
    const env = environment(theBed());
    return (await execa("kubectl", ["--context=west", ...words], { env })).stdout;
  }

  /** Returns the message of a stack's condition, if that is true. */
  async function is(name: string, condition: "Ready" | "Stalled"): Promise<string | undefined> {
    const path = `{.status.conditions[?(@.type=="${condition}")]['status','message']}`;
    const words = ["get", `stacks.pulumi.com/mesh-${name}`, mesh, `--output=jsonpath=${path}`];
    const found = await kubectl(...words);
    return found.startsWith("True") ? found : undefined;
  }

  function mirrorOf(name: string) {
    return clusters.serviceIn(theBed().clusters.east, "shop", `${name}-west`);
  }

  async function label(value: string | null): Promise<void> {
    const labels = { "mirror.linkerd.io/exported": value };
    for (const name of services) {
      const path = clusters.inNamespace("shop", `services/${name}`);
      await theBed().clusters.west.request("PATCH", path, { metadata: { labels } });
    }
  }

  /** Creates what the example's page has users create, and a file of the mesh in place of the repository's. */
  async function addSettings(): Promise<void> {
    const { west, east } = theBed().clusters;
    const shared = {
      clusters: { west: { apiServer: west.server }, east: { apiServer: east.server } },
      topology: "mesh",
      manage: "all",
      linkDefaults: { maxDeletions: 1 },
      charts: { source: "./charts" },
    };
    await writeFile(join(folder, "mesh.yaml"), stringify(shared));
    await kubectl("create", "configmap", "mesh", `--from-file=${folder}/mesh.yaml`, mesh);
    const secret = ["create", "secret", "generic", mesh];
    await kubectl(...secret, "mesh-passphrase", "--from-literal=passphrase=a passphrase");
    for (const name of stacks)
      await kubectl(
        ...secret,
        `mesh-${name}-kubeconfig`,
        `--from-file=config=${theBed().kubeconfig}`,
      );
  }

  /** Changes the example for clusters that reach neither Git nor a registry nor a bucket, and makes waits shorter. */
  async function kustomization(): Promise<object> {
    const state = join(folder, "state");
    await mkdir(state);
    await chmod(state, 0o777);
    const workspace = "/spec/workspaceTemplate/spec";
    const pod = `${workspace}/podTemplate/spec`;
    const set = (path: string, value: unknown) => ({ op: "add", path, value });
    const patch = [
      ...["projectRepo", "branch", "shallow", "gitAuth"].map((key) => ({
        op: "remove",
        path: `/spec/${key}`,
      })),
      set("/spec/backend", "file:///state"),
      set("/spec/retryMaxBackoffDurationSeconds", 10),
      set(`${workspace}/image`, images.stack),
      set(`${workspace}/local`, { dir: "/program" }),
      set(`${pod}/volumes/-`, { name: "state", hostPath: { path: state } }),
      set(`${pod}/volumes/-`, { name: "mesh", configMap: { name: "mesh" } }),
      set(`${pod}/containers/0/volumeMounts/-`, { name: "state", mountPath: "/state" }),
      set(`${pod}/containers/0/volumeMounts/-`, {
        name: "mesh",
        mountPath: "/program/mesh.yaml",
        subPath: "mesh.yaml",
      }),
    ];
    const [newName, newTag] = images.stack.split(":");
    return {
      resources: ["access.yaml", "retry.yaml", ...stacks.map((name) => `${name}.yaml`)],
      patches: [
        { target: { kind: "Stack" }, patch: stringify(patch) },
        {
          target: { name: "mesh-east" },
          patch: stringify([set("/spec/resyncFrequencySeconds", 60)]),
        },
      ],
      images: [{ name: "pulumi/pulumi", newName, newTag }],
    };
  }
});
