import { deepEqual } from "node:assert/strict";
import { deniedOf } from "../../../engine/kubernetes/access-review.ts";
import { forEachTest } from "./scripted-cluster.ts";

interface Review {
  readonly spec: { readonly resourceAttributes: { readonly verb: string } };
}

describe("an access review", () => {
  const { open } = forEachTest();

  it("names each denied right with its subresource, object and namespace", async () => {
    const { client } = await open(({ body }) => {
      const { verb } = (body as Review).spec.resourceAttributes;
      return { body: { kind: "SelfSubjectAccessReview", status: { allowed: verb === "list" } } };
    });
    const links = { group: "multicluster.linkerd.io", resource: "links", subresource: "status" };
    const status = { ...links, verb: "patch", namespace: "mc" };
    const list = { group: "", resource: "pods", verb: "list" };
    const named = { group: "", resource: "secrets", name: "a", verb: "get" };
    deepEqual(await deniedOf([status, list, named], client), [
      "patch links.multicluster.linkerd.io/status in namespace mc",
      "get secrets/a",
    ]);
  });
});
