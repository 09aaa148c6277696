import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";

import { connectToWatch } from "../../engine/kubernetes/client/connect.ts";
import { resources } from "../../engine/kubernetes/objects/resources.ts";
import { watchedKinds } from "../../engine/watch/events.ts";
import { type Bed, until } from "../../testbed/bed.ts";
import { writeKubeconfig } from "../../testbed/kubeconfig.ts";
import { addLinkCrd } from "../../testbed/links.ts";
import { repository } from "../../testbed/stack.ts";
import { inNamespace } from "./access-clusters.ts";
import { type ClusterName, emptyBed } from "./mirroring/shared-bed.ts";

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: { readonly template?: { readonly metadata: object; readonly spec: object } };
}

const strict = "fieldValidation=Strict";
const runner = "linkerd-multicluster-runner";

describe("examples/watch and examples/rbac/watch.yaml, as an API server takes them", function () {
  this.timeout("20m");

  let bed: Bed<ClusterName>;

  before(async () => {
    ({ bed } = await emptyBed());
    await created(...manifestsIn("watch/kubernetes.yaml").filter(isSmall));
  });

  it("accepts every manifest, and knows every field in it", async () => {
    const manifests = manifestsIn("watch/kubernetes.yaml").filter((each) => !isSmall(each));
    assert.equal(manifests.length, 3);
    for (const manifest of manifests) {
      const { code, body } = await send(manifest, `dryRun=All&${strict}`);
      assert.equal(code, 201, JSON.stringify(body));
    }
  });

  it("would refuse a field that there is not", async () => {
    const [deployment] = manifestsIn("watch/kubernetes.yaml").filter(isDeployment);
    const spec = { ...deployment?.spec, replica: 1 };
    assert.equal((await send({ ...deployment, spec }, `dryRun=All&${strict}`)).code, 400);
  });

  it("admits the pod under the profile that the namespace enforces", async () => {
    const [deployment] = manifestsIn("watch/kubernetes.yaml").filter(isDeployment);
    const template = deployment?.spec?.template;
    const pod = {
      ...{ apiVersion: "v1", kind: "Pod", spec: template?.spec },
      metadata: { ...template?.metadata, name: "watch", namespace: "mesh-watch" },
    };
    const { code, body } = await send(pod, `dryRun=All&${strict}`);
    assert.equal(code, 201, JSON.stringify(body));
    const asRoot = { ...template?.spec, securityContext: {} };
    assert.equal((await send({ ...pod, spec: asRoot }, "dryRun=All")).code, 403);
  });

  it("lets an account with watch.yaml watch every kind, and without it none", async () => {
    const { east: hub } = bed.clusters;
    await addLinkCrd(hub);
    await created(...manifestsIn("rbac/preview.yaml"));
    const path = `${inNamespace(runner, "serviceaccounts")}/preview/token`;
    const { body } = await hub.request("POST", path, { spec: {} });
    const { status } = body as { readonly status: { readonly token: string } };
    const kubeconfig = join(bed.folder, "watching");
    await writeKubeconfig(kubeconfig, [
      { name: "hub", access: { ...hub.access, token: status.token } },
    ]);
    const watching = await connectToWatch({ kubeconfig, context: "hub" }, "hub");
    const refusals = await Promise.all(
      watchedKinds.map((kind) => isWatched(kind).catch((error: unknown) => String(error))),
    );
    for (const refusal of refusals) assert.match(String(refusal), /watch/);
    await created(...manifestsIn("rbac/watch.yaml"));
    // The API server reads its own roles a moment later.
    await until("the rights of watch.yaml", [], async () => {
      const answers = await Promise.allSettled(watchedKinds.map((kind) => isWatched(kind)));
      return answers.every((answer) => answer.status === "fulfilled") || undefined;
    });
    await watching.close();

    async function isWatched(kind: (typeof watchedKinds)[number]): Promise<void> {
      const stop = new AbortController();
      const version = await watching.version(resources[kind]);
      const opened = () => {
        stop.abort();
      };
      const calls = { opened, changed: () => undefined };
      await watching.watch(resources[kind], version, calls, stop.signal);
    }
  });

  async function created(...manifests: readonly Manifest[]): Promise<void> {
    for (const manifest of manifests) {
      const { code, body } = await send(manifest, strict);
      const isThere = code === 409 && isSmall(manifest);
      assert.ok(code === 201 || isThere, JSON.stringify(body));
    }
  }

  function send(manifest: Sent, query: string) {
    const { apiVersion = "", kind = "", metadata } = manifest;
    const group = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const place = metadata?.namespace === undefined ? "" : `/namespaces/${metadata.namespace}`;
    const path = `${group}${place}/${kind.toLowerCase()}s?${query}`;
    return bed.clusters.east.request("POST", path, manifest);
  }
});

/** A manifest, or what a test makes of one. */
interface Sent extends Partial<Pick<Manifest, "apiVersion" | "kind">> {
  readonly metadata?: { readonly namespace?: string };
  readonly spec?: object | undefined;
}

/** What the others need to be there. */
function isSmall({ kind }: Manifest): boolean {
  return kind === "Namespace" || kind === "ServiceAccount";
}

function isDeployment({ kind }: Manifest): boolean {
  return kind === "Deployment";
}

function manifestsIn(file: string): Manifest[] {
  const text = readFileSync(join(repository, "examples", file), "utf8");
  return parseAllDocuments(text).map((each) => each.toJS() as Manifest);
}
