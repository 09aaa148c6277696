import assert from "node:assert/strict";
import { join } from "node:path";

import { connectToWatch } from "../../engine/kubernetes/client/connect.ts";
import { resources } from "../../engine/kubernetes/objects/resources.ts";
import { watchedKinds } from "../../engine/watch/events.ts";
import { until } from "../../testbed/bed.ts";
import { writeKubeconfig } from "../../testbed/kubeconfig.ts";
import { addLinkCrd } from "../../testbed/links.ts";
import { documents } from "../unit/examples/files.ts";
import { type Manifest as Placed, pathOf } from "./access-clusters.ts";
import type { Item } from "./mirroring/objects.ts";
import { create, emptyBed, type SharedBed } from "./mirroring/shared-bed.ts";
import { accessOf, manifests } from "./runner-account.ts";

interface Manifest extends Placed {
  readonly spec?: { readonly template?: { readonly metadata: object; readonly spec: object } };
}

const strict = "dryRun=All&fieldValidation=Strict";
const all = documents("watch/kubernetes.yaml") as Manifest[];
/** What the others need to be there. */
const isSmall = ({ kind }: Manifest) => kind === "Namespace" || kind === "ServiceAccount";
const deployment = all.find(({ kind }) => kind === "Deployment") ?? assert.fail();

describe("examples/watch and examples/rbac/watch.yaml, as an API server takes them", function () {
  this.timeout("20m");

  let shared: SharedBed;

  before(async () => {
    shared = await emptyBed();
    await create(shared.kube.east, all.filter(isSmall) as unknown as Item[]);
  });

  it("accepts every manifest, and knows every field in it", async () => {
    const others = all.filter((each) => !isSmall(each));
    const answers = await Promise.all(others.map((manifest) => send(manifest, strict)));
    assert.deepEqual(
      answers.map(({ code }) => code),
      [201, 201, 201],
      JSON.stringify(answers),
    );
    const spec = { ...deployment.spec, replica: 1 };
    assert.equal((await send({ ...deployment, spec }, strict)).code, 400);
  });

  it("admits the pod under the profile that the namespace enforces", async () => {
    const template = deployment.spec?.template;
    const pod = {
      ...{ apiVersion: "v1", kind: "Pod", spec: template?.spec },
      metadata: { ...template?.metadata, name: "watch", namespace: "mesh-watch" },
    };
    const { code, body } = await send(pod as Manifest, strict);
    assert.equal(code, 201, JSON.stringify(body));
    const asRoot = { ...pod, spec: { ...template?.spec, securityContext: {} } };
    assert.equal((await send(asRoot as Manifest, "dryRun=All")).code, 403);
  });

  it("lets an account with watch.yaml watch every kind, and without it none", async () => {
    const { bed, kube } = shared;
    const { east } = bed.clusters;
    await addLinkCrd(east);
    await create(kube.east, manifests("preview.yaml"));
    const kubeconfig = join(bed.folder, "watching");
    await writeKubeconfig(kubeconfig, [{ name: "hub", access: await accessOf(east, "preview") }]);
    const watching = await connectToWatch({ kubeconfig, context: "hub" }, "hub");
    const begun = () => Promise.allSettled(watchedKinds.map((kind) => watched(kind)));
    for (const refusal of await begun()) {
      assert.equal(refusal.status, "rejected");
      assert.match(String(refusal.reason), /watch/);
    }
    await create(kube.east, manifests("watch.yaml"));
    // The API server reads its own roles a moment later.
    await until("the rights of watch.yaml", [], async () => {
      return (await begun()).every(({ status }) => status === "fulfilled") || undefined;
    });
    await watching.close();

    async function watched(kind: (typeof watchedKinds)[number]): Promise<void> {
      const stop = new AbortController();
      const version = await watching.version(resources[kind]);
      const opened = () => {
        stop.abort();
      };
      const calls = { opened, changed: () => undefined };
      await watching.watch(resources[kind], version, calls, stop.signal);
    }
  });

  function send(manifest: Manifest, query: string) {
    return shared.bed.clusters.east.request("POST", `${pathOf(manifest)}?${query}`, manifest);
  }
});
