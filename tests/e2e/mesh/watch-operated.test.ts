import assert from "node:assert/strict";

import { documents } from "../../unit/examples/files.ts";
import { type Manifest as Placed, pathOf } from "../access-clusters.ts";
import type { Item } from "../mirroring/objects.ts";
import { create, emptyBed, type SharedBed } from "../mirroring/shared-bed.ts";

interface Manifest extends Placed {
  readonly spec?: { readonly template?: { readonly metadata: object; readonly spec: object } };
}

const strict = "dryRun=All&fieldValidation=Strict";
const all = documents("watch/kubernetes.yaml") as Manifest[];
/** The other objects need these. */
const isSmall = ({ kind }: Manifest) => kind === "Namespace" || kind === "ServiceAccount";
const deployment = all.find(({ kind }) => kind === "Deployment") ?? assert.fail();

describe("examples/watch, validated by an API server", function () {
  this.timeout("20m");

  let shared: SharedBed;

  before(async () => {
    shared = await emptyBed();
    await create(shared.kube.east, all.filter(isSmall) as unknown as Item[]);
  });

  it("has valid manifests without unknown fields", async () => {
    const others = all.filter((each) => !isSmall(each));
    const answers = await Promise.all(others.map((manifest) => send(manifest, strict)));
    assert.deepEqual(
      answers.map(({ code }) => code),
      [201, 201, 201, 201],
      JSON.stringify(answers),
    );
    const spec = { ...deployment.spec, replica: 1 };
    assert.equal((await send({ ...deployment, spec }, strict)).code, 400);
  });

  it("has a pod that its namespace's security profile admits", async () => {
    const template = deployment.spec?.template;
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      spec: template?.spec,
      metadata: { ...template?.metadata, name: "watch", namespace: "mesh-watch" },
    };
    const { code, body } = await send(pod as Manifest, strict);
    assert.equal(code, 201, JSON.stringify(body));
    const asRoot = { ...pod, spec: { ...template?.spec, securityContext: {} } };
    assert.equal((await send(asRoot as Manifest, "dryRun=All")).code, 403);
  });

  function send(manifest: Manifest, query: string) {
    return shared.bed.clusters.east.request("POST", `${pathOf(manifest)}?${query}`, manifest);
  }
});
