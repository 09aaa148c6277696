import { deepEqual } from "node:assert/strict";
import { deniedOf } from "../../../engine/kubernetes/access-review.ts";
import { MemoryCluster } from "../fixtures/memory-cluster.ts";
import { cluster } from "../fixtures/objects.ts";
import { withCluster } from "./scripted-cluster.ts";

const status = {
  ...{ group: "multicluster.linkerd.io", resource: "links", subresource: "status" },
  ...{ verb: "patch", namespace: "mc" },
};
const list = { group: "", resource: "pods", verb: "list" };

describe("asking what somebody may do", () => {
  it("names what is denied, with its part, its object and its namespace", async () => {
    const memory = new MemoryCluster(cluster("east"));
    const named = { group: "", resource: "secrets", name: "a", verb: "get" };
    deepEqual(await deniedOf([status, list, named], memory), []);
    memory.allows = ({ verb }) => verb === "list";
    deepEqual(await deniedOf([status, list, named], memory), [
      "patch links.multicluster.linkerd.io/status in namespace mc",
      "get secrets/a",
    ]);
  });

  it("asks about an account as the API server knows its pods", async () => {
    const asked: unknown[] = [];
    await withCluster(
      ({ url, body }) => {
        asked.push([url.pathname, (body as { readonly spec: unknown }).spec]);
        return { body: { kind: "SubjectAccessReview", status: { allowed: true } } };
      },
      async ({ client }) => {
        await deniedOf([list], client, { namespace: "mc", name: "controller-west" });
      },
    );
    deepEqual(asked, [
      [
        "/apis/authorization.k8s.io/v1/subjectaccessreviews",
        {
          resourceAttributes: list,
          user: "system:serviceaccount:mc:controller-west",
          groups: [
            ...["system:serviceaccounts", "system:serviceaccounts:mc"],
            "system:authenticated",
          ],
        },
      ],
    ]);
  });
});
