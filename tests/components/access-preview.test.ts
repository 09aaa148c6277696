import assert from "node:assert/strict";
import { linkMetadata } from "../../engine/credentials/link-manifest.ts";
import { account, graph, namespaces } from "./access-graph.ts";

/** What stands in a preview for what only the update will know. */
const unknown = { __pulumiUnknown: true };
const labels = {
  "linkerd.io/extension": "multicluster",
  "app.kubernetes.io/managed-by": "linkerd-multicluster",
};

describe("a link's credentials before they exist", function () {
  this.timeout(30_000);

  it("are unknown, and no error, in a preview of a mesh that does not exist yet", async () => {
    const { resource } = await graph({}, { preview: true, known: false });
    const created = resource("kubernetes:core/v1:Secret", "east/west/token");
    assert.deepEqual(created.inputs.metadata, {
      name: unknown,
      namespace: "linkerd-multicluster",
      labels,
      annotations: { "kubernetes.io/service-account.name": account },
    });
    const destination = resource("kubernetes:core/v1:Secret", "east/west/destination");
    assert.deepEqual(destination.inputs.data, unknown);
    assert.deepEqual(destination.inputs.metadata, {
      name: "cluster-credentials-west",
      namespace: "linkerd",
      labels: { "multicluster.linkerd.io/cluster-name": "west" },
      annotations: {
        "multicluster.linkerd.io/trust-domain": unknown,
        "multicluster.linkerd.io/cluster-domain": unknown,
        "linkerd-multicluster/discovery": unknown,
      },
    });
    const { inputs } = resource("kubernetes:multicluster.linkerd.io/v1alpha3:Link", "east/west");
    assert.deepEqual(inputs.metadata, linkMetadata("west", namespaces));
    assert.deepEqual(inputs.spec, unknown);
    const check = resource("pulumi-nodejs:dynamic/linkerd:TokenCheck", "east/west");
    assert.deepEqual(check.inputs.secret, unknown);
  });

  it("have an unknown token in a preview of a rotation, though its Secret is said to be empty", async () => {
    const { resource } = await graph({}, { preview: true, known: true });
    for (const copy of ["mirror", "destination"])
      assert.deepEqual(
        resource("kubernetes:core/v1:Secret", `east/west/${copy}`).inputs.data,
        unknown,
      );
  });
});
